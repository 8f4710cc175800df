package fact

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
)

// WrittenWith reports whether a function other than the named one, and other than the callee
// that it calls, writes the location and l, though under different guards.
func (i *LocInfo) WrittenWith(l accesspath.Location, callee *FuncSummary, function string) bool {
	return slices.ContainsFunc(i.Together, func(t TogetherWrite) bool {
		return t.Loc == l && t.Func != function && (callee == nil || t.Func != callee.Name)
	})
}

// Updates reports whether all functions that write the location write l as well.
func (i *LocInfo) Updates(l accesspath.Location) bool {
	return len(i.Writers) > 0 && !slices.ContainsFunc(i.Writers, func(w Writer) bool {
		return !slices.Contains(i.Together, TogetherWrite{l, w.Func})
	})
}

// IsJoint reports whether l is kept consistent with the location: the regions
// that write them are to a good part the same.
func (i *LocInfo) IsJoint(l accesspath.Location) bool {
	_, found := slices.BinarySearch(i.Joint, l)
	return found
}

// Constant reports whether the location is not written after construction, as
// far as is known.
func (i *LocInfo) Constant() bool { return i == nil || len(i.Writers) == 0 }

// Guarding returns the classes of the locks that guard the location.
func (i *LocInfo) Guarding() []accesspath.Location {
	if i.Constant() {
		return nil
	}
	return i.Guards
}
