package guards

import (
	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
)

// flagTests has the monotone flags that are tested before accesses. Each is worked out once: detectors ask about each pair of an access and
// a writer.
type flagTests struct {
	// set has the flags that the function of an access has found set.
	set map[*funcsum.Event][]accesspath.Location
	// clear has the flags that are found clear, in the section of a write.
	clear map[*funcsum.Event][]accesspath.Location
}

func newFlagTests() flagTests {
	return flagTests{make(map[*funcsum.Event][]accesspath.Location), make(map[*funcsum.Event][]accesspath.Location)}
}
