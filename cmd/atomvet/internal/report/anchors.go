package report

import (
	"encoding/json"

	"github.com/atomvet/atomvet/passes/closedworld"
)

// Anchors are the places of a finding for programs. The positions are those in the files on
// disk, which //line directives do not change. Of a place in a dependency the column is not known.
type Anchors struct {
	// Unit is the function of the finding.
	Unit string `json:"unit"`
	// Object is the variable that is checked, and ActObject that of the act if it is another.
	Object    Object  `json:"object"`
	ActObject *Object `json:"act_object,omitempty"`
	Check     Access  `json:"check"`
	// Release is where the critical section of the check ends, and Later where that of the
	// act begins, if these are in the unit.
	Release *Position `json:"release,omitempty"`
	Later   *Position `json:"later,omitempty"`
	Act     Access    `json:"act"`
	Rivals  []Rival   `json:"rivals,omitempty"`
	// Interference is what a rival does to the object: write or read.
	Interference string `json:"interference"`
	// Rests are the pairs of roots of which one must be able to run at the same time, none if
	// the callers in other packages do not matter, or are not known to.
	Rests []closedworld.Pair `json:"-"`
}

// UnmarshalJSON reads anchors, with what -json does not show.
func (a *Anchors) UnmarshalJSON(data []byte) error {
	type plain Anchors
	var read struct {
		*plain
		Rests []closedworld.Pair `json:"rests"`
	}
	read.plain = (*plain)(a)
	err := json.Unmarshal(data, &read)
	a.Rests = read.Rests
	return err
}

// An Object is a field of a struct type or a package variable.
type Object struct {
	Package string `json:"package"`
	Type    string `json:"type,omitempty"`
	Field   string `json:"field"`
	Key     bool   `json:"key,omitempty"` // an element of the container in it
}

// String returns the object as package.Type.field.
func (o Object) String() string {
	if o.Type == "" {
		return o.Package + "." + o.Field
	}
	return o.Package + "." + o.Type + "." + o.Field
}

// Short returns the object as Type.field, with […] for an element.
func (o Object) Short() string {
	name := o.Field
	if o.Type != "" {
		name = o.Type + "." + name
	}
	if o.Key {
		name += "[…]"
	}
	return name
}

// An Access is an access by the unit or, through calls, by a callee.
type Access struct {
	Position
	Name string `json:"name"` // of the variable, as in the unit: s.items[key]
	Op   string `json:"op"`
	// Calls are the calls that lead to the access, the first in the unit, and Access is the
	// access itself if there are any.
	Calls  []Position `json:"calls,omitempty"`
	Access *Position  `json:"access,omitempty"`
}

// Place returns the position of the access itself.
func (a Access) Place() Position {
	if a.Access != nil {
		return *a.Access
	}
	return a.Position
}

// A Rival is an access that interferes.
type Rival struct {
	Func   string   `json:"func"`
	Kind   string   `json:"kind"` // write or read
	Access Position `json:"access"`
}

// Each calls f for each position.
func (a *Anchors) Each(f func(*Position)) {
	for _, p := range []*Position{a.Release, a.Later, a.Check.Access, a.Act.Access, &a.Check.Position, &a.Act.Position} {
		if p != nil {
			f(p)
		}
	}
	for _, list := range [][]Position{a.Check.Calls, a.Act.Calls} {
		for i := range list {
			f(&list[i])
		}
	}
	for i := range a.Rivals {
		f(&a.Rivals[i].Access)
	}
}
