"""The certificate: one page that says what was promised, done and measured."""
