"""What a text says, found without a model: one judgement a module, each measured by `cortex eval`."""
