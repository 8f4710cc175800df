package atomicset

import "github.com/atomvet/atomvet/passes/internal/rule"

// The flags, see init.
var (
	infer, stats, models bool
	ruleFlags            rule.Flags
)
