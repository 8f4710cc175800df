package fact

import (
	"github.com/atomvet/atomvet/passes/internal/lockset"

	"github.com/atomvet/atomvet/passes/internal/limit"
)

// An Acquisition is a lock that a function, or a function that it calls, acquires and
// releases again before the function returns. The Guard is in the terms of the function.
type Acquisition struct {
	lockset.Guard
	// Pos is the position of the acquisition.
	Pos Pos
}

// MaxAcquisitions bounds the acquisitions of one summary.
const MaxAcquisitions = limit.Acquisitions
