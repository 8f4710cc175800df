package fact

import "github.com/atomvet/atomvet/passes/internal/lockset"

// An Acquisition is a lock that a function takes and gives up again before it
// returns, itself or in a function that it calls.
type Acquisition struct {
	lockset.Guard
	Pos Pos
}

// maxAcquisitions bounds those that a summary tells of.
const MaxAcquisitions = 12
