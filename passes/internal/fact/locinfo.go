package fact

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
)

// OrNothing returns i; if i is nil, the properties of a location that is in no summary and in no fact: it has no writer.
func (i *LocInfo) OrNothing() *LocInfo {
	if i == nil {
		return nothing
	}
	return i
}

var nothing = new(LocInfo)

// WrittenWith reports whether a function other than the named one, and other than its
// callee (which may be nil), writes both the location and l, whatever the guards.
func (i *LocInfo) WrittenWith(l accesspath.Location, callee *FuncSummary, function string) bool {
	return slices.ContainsFunc(i.Together, func(t TogetherWrite) bool {
		return t.Loc == l && t.Func != function && (callee == nil || t.Func != callee.Name)
	})
}

// Updates reports whether every function that writes the location also writes l.
func (i *LocInfo) Updates(l accesspath.Location) bool {
	return len(i.Writers) > 0 && !slices.ContainsFunc(i.Writers, func(w Writer) bool {
		return !slices.Contains(i.Together, TogetherWrite{l, w.Func})
	})
}

// IsJoint reports whether l and the location are correlated: a good part of the critical
// sections that write either write both.
func (i *LocInfo) IsJoint(l accesspath.Location) bool {
	_, found := slices.BinarySearch(i.Joint, l)
	return found
}

// AppendOnly reports whether all that is ever done to the location, which contains a slice, is
// to append to it: an element that is there stays what it is.
func (i *LocInfo) AppendOnly() bool {
	return i.OnlyRaised() && !slices.ContainsFunc(i.Writers, func(w Writer) bool { return w.Part })
}

// OnlyRaised reports whether all writers of the location add something to what is there.
func (i *LocInfo) OnlyRaised() bool {
	return len(i.Writers) > 0 && !slices.ContainsFunc(i.Writers, func(w Writer) bool { return w.Effect != Raises })
}

// Constant reports whether the location has no known write after construction.
func (i *LocInfo) Constant() bool { return i == nil || len(i.Writers) == 0 }

// Guarding returns the classes of the locks that guard the location, none if it is
// constant.
func (i *LocInfo) Guarding() []accesspath.Location {
	if i.Constant() {
		return nil
	}
	return i.Guards
}
