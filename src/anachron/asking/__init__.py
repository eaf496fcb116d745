"""Ask a release: SQL text in, an estimate with hard bounds out."""
