// Package anchor describes the places of a finding for programs: the object, the check, the
// release, the later critical section, the act and the rivals, each as a file, a line and a
// column.
//
// A message is for people, and names an object by an expression of one function. A tool that
// instruments the accesses of a finding, or an editor that shows them, needs the declared field
// and the access itself, which may lie inside callees. The places are those of the files on
// disk: a //line directive does not change them.
//
// Go vet hands on no more of a diagnostic than messages and positions. So the anchors of a
// finding are one related position, whose message is [Prefix] and the anchors in JSON. Only
// a driver that asks for them gets them; see package summary.
package anchor

import (
	"encoding/json"
	"go/token"
	"strings"

	"github.com/atomvet/atomvet/passes/closedworld"
	"github.com/atomvet/atomvet/passes/internal/accesspath"
)

// Prefix begins the message of the related position that has the anchors.
const Prefix = "anchors: "

// Anchors are the places of one finding.
type Anchors struct {
	// Unit is the function of the finding, as messages show it.
	Unit string `json:"unit"`
	// Object is the variable that is checked, and ActObject that of the act if it is another.
	Object    Object  `json:"object"`
	ActObject *Object `json:"act_object,omitempty"`
	Check     Access  `json:"check"`
	// Release is where the critical section of the check ends, and Later where that of the
	// act begins. Either is nil if it lies inside a callee, or if there is no lock.
	Release *Place `json:"release,omitempty"`
	Later   *Place `json:"later,omitempty"`
	Act     Access `json:"act"`
	// Rivals are the accesses of other goroutines that may come between check and act.
	Rivals []Rival `json:"rivals,omitempty"`
	// Interference is what a rival does to the object: write or read.
	Interference string `json:"interference"`
	// Rests are the pairs of roots of which one must be able to run at the same time, none if the
	// callers in other packages do not matter, or are not known to: see package closedworld.
	Rests []closedworld.Pair `json:"rests,omitempty"`
}

// An Object is a variable that objects of a type, or a package, have.
type Object struct {
	Package string `json:"package"`
	Type    string `json:"type,omitempty"` // empty for a package variable
	Field   string `json:"field"`          // or the package variable; with dots for fields of fields
	Key     bool   `json:"key,omitempty"`  // an element of the container in it
}

// A Place is a position in a file. Of a place in a dependency only the line is known, Column is 0, and
// File is a base name if nothing that the package declares is known to be in it.
type Place struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column,omitempty"`
}

// An Access is an access by the unit or, through calls, by a callee.
type Access struct {
	// Place is in the unit.
	Place
	// Name is the variable as the unit names it: s.items[key].
	Name string `json:"name"`
	// Op is read, write or update, which is a read and a write in one operation.
	Op string `json:"op"`
	// Calls are the calls that lead to the access, the first in the unit. Access is the
	// access itself if there are any.
	Calls  []Place `json:"calls,omitempty"`
	Access *Place  `json:"access,omitempty"`
}

// A Rival is an access that interferes.
type Rival struct {
	Func   string `json:"func"`
	Kind   string `json:"kind"` // write or read
	Access Place  `json:"access"`
}

// String returns the form in which anchors pass through go vet.
func (a *Anchors) String() string {
	data, err := json.Marshal(a)
	if err != nil {
		return "" // not of strings and numbers
	}
	return Prefix + string(data)
}

// ObjectAt returns the object of an access to an element with the given key of a location.
func ObjectAt(l accesspath.Location, key accesspath.Key) Object {
	o := Object{Package: l.Pkg(), Type: l.Type(), Field: l.Name(), Key: key != ""}
	if o.Type != "" {
		o.Field = strings.TrimPrefix(o.Field, o.Type+".")
	}
	return o
}

// At returns the place of a position of the analyzed package, nil for none.
func At(fset *token.FileSet, pos token.Pos) *Place {
	if !pos.IsValid() {
		return nil
	}
	p := fset.PositionFor(pos, false)
	return &Place{File: p.Filename, Line: p.Line, Column: p.Column}
}
