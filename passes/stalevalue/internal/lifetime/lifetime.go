// Package lifetime finds the functions of a package that end the life of shared objects.
//
// An object that goroutines find in a shared variable (an element of a map, the object of a
// pointer) lives until a function takes it out of the variable and ends it: closes a channel
// or a file of it, sets a pointer in it to nil, looks at its content for the last time, or
// replaces it and calls its method Close. The garbage collector takes care of the memory, not
// of that:
//
//	s.mu.Lock(); c := s.conns[id]; delete(s.conns, id); s.mu.Unlock() // taken out
//	close(c.done)                                                      // ended
//
// A function may also close a channel of an element and leave that in the variable, where the next one finds it.
//
// A look-up and the end of the section that makes it give no right to the object: what another
// function does with it afterwards may come after its end. To close the channel again, and to
// send to it, is a panic; what is written into an object after the last look at it is lost; a
// pointer that is nil cannot be followed; a method of an object that was replaced fails, though there has been one all the time that would
// not. The function has a right to the object if
//
//   - it has taken the object out, in the section in which it has found it, or has claimed it
//     in some other way (a flag that is tested and set in one step, a sync.Once). A claim binds
//     those who make it: it excludes the others that make the same one.
//   - it has pinned the object in that section, and who ends the object waits: by a lock of the
//     object, a count of users, a sync.WaitGroup.
//   - it asks, in the section of its use, for something that who ends the object writes.
//
// That two functions find the same object is a may-property: by the variable and by the
// declaration of the field with the channel or content, not by the object. What a function
// has found is followed forward through its values, at most one pointer deep: an object that is
// reached through more of them may belong to others. An object that is stored is not followed.
package lifetime

import (
	"go/types"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/guards"
	"github.com/atomvet/atomvet/passes/internal/process"
)

// A Finder finds the ends of objects in a package, when it is first asked for them.
type Finder struct {
	*guards.Guards
	uses  map[useKey][]Use
	found map[*funcsum.Event]*Object
	// ends caches Ends, and writes has the writes of each location.
	ends   map[accesspath.Location][]End
	writes map[accesspath.Location][]writeAt
	// closers are the functions that close channels of objects.
	closers []*process.Func
}

// New returns a Finder for the package.
func New(g *guards.Guards) *Finder {
	return &Finder{Guards: g, uses: make(map[useKey][]Use), found: make(map[*funcsum.Event]*Object), ends: make(map[accesspath.Location][]End)}
}

// A Kind is the way in which an object ends.
type Kind uint8

const (
	// Closed: a channel of the object is closed.
	Closed Kind = iota
	// Drained: the content of the object is read after the object was taken out.
	Drained
	// Judged: the content of the object decides that it is taken out.
	Judged
	// Cleared: a pointer of the object is set to nil, or an element of it deleted.
	Cleared
	// Shut: a file of the object is closed.
	Shut
	// Replaced: a method of the object ends it, after it was replaced by another one.
	Replaced
)

// An End is the end of the objects that a function takes out of a variable, or of an element that it leaves there.
type End struct {
	// Writer is the write by which the object is taken out, or the read that finds it if it is Left.
	fact.Writer
	Kind Kind
	// Of is the location in the object: the field with the channel, or the content.
	Of accesspath.Location
	// Closer is the method that ends an object that was Replaced.
	Closer *types.Func
	// Func is the function.
	Func *process.Func
	// At is the position of the end, and Locks are the locks that are held there.
	At    fact.Pos
	Locks []accesspath.Location
	// Claims are the locations by which the function has claimed the object.
	Claims []accesspath.Location
	// Asks are the locations on which the end is decided, in its section.
	Asks []accesspath.Location
	// Element is set if an element is cleared, and Deep if the object is taken out, or ended, in
	// the callee of a callee.
	Element, Deep bool
	// Period is set if the content is a number that others count up.
	Period bool
	// Left is set if the object is an element that is left in the variable.
	Left bool
	// Waits is set if the function waits for something between the two.
	Waits bool
}
