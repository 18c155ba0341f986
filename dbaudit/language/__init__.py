"""What users write, parsed: their SQL (`query`), the files that they hand over (`incoming`), and statements of what is known (`statement`)."""
