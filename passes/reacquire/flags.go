package reacquire

import (
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
)

// The flags, see init.
var (
	pattern, variant, stylistic bool
	confidence                  finding.Confidence
	ruleFlags                   rule.Flags
)
