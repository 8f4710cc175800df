package counterpart

import (
	"reflect"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
)

// A pairing maps two locations to the relations between them, in the order in which they were found. All are kept:
// the first function that relates the two may be one that cannot run beside the function which is judged, and
// another one may.
type pairing[T any] map[accesspath.Location]map[accesspath.Location][]T

// add notes a relation, if it is not known. The accesses of a function are gone through in order, so that what is known
// is mostly the last one.
func (m pairing[T]) add(x, y accesspath.Location, found T) {
	for _, known := range slices.Backward(m[x][y]) {
		if reflect.DeepEqual(known, found) {
			return
		}
	}
	if m[x] == nil {
		m[x] = make(map[accesspath.Location][]T)
	}
	m[x][y] = append(m[x][y], found)
}
