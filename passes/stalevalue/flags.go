package stalevalue

import (
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
)

// The flags, see init.
var (
	strict     bool
	runs       bool
	confidence finding.Confidence
	ruleFlags  rule.Flags
)
