"""How useful is a release? Workloads of questions, asked of the release and of the microdata."""
