package counterpart

import "github.com/atomvet/atomvet/passes/internal/accesspath"

// A pairing maps two locations to the first relation that was found between them.
type pairing[T any] map[accesspath.Location]map[accesspath.Location]T

func (m pairing[T]) add(x, y accesspath.Location, found T) {
	if _, known := m[x][y]; known {
		return
	}
	if m[x] == nil {
		m[x] = make(map[accesspath.Location]T)
	}
	m[x][y] = found
}
