"""The pages, one file for each: read the folder, call what commands call, hand values on."""
