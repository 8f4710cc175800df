// Package reshape gives Go packages another structure, and keeps what they do.
//
// What an analyzer says of a program must not depend on where its functions end: whether a
// critical section stands in line or in a helper, whether a lock is taken by a method, in
// which order functions are declared, and what they are called. The reports on a program and
// on what a [Shape] makes of it can be compared: a metamorphic test, which needs no list of
// what is to be reported, and has more forms of each mistake, and of correct code, than anybody
// writes down. Package spelling does the same for single conditions.
//
// A shape is applied wherever it is certain to keep what the program does, and nowhere else: a
// section with a return in it, for example, is not made a function. Names that it introduces
// have a prefix, see [Original]. Files are rewritten as text.
package reshape

// A Shape is a structure that packages can be given.
type Shape struct {
	Name    string
	rewrite func(*writer)
}

// Shapes are all of them.
var Shapes = []Shape{
	{"reversed", (*writer).reverse},  // functions stand in the opposite order
	{"split", (*writer).split},       // every other function is in a file of its own
	{"renamed", (*writer).rename},    // what is not exported has another name
	{"wrapped", (*writer).wrapLocks}, // locks are taken and released by methods
	{"literals", (*writer).literals}, // sections are function literals that are called
	{"helpers", (*writer).helpers},   // sections are functions with parameters and results
	{"inlined", (*writer).inline},    // calls of short functions are replaced by their bodies
	{"forwarded", (*writer).forward}, // methods call others that have their bodies
	{"closures", (*writer).closures}, // goroutines and deferred releases begin with a literal
	{"grouped", (*writer).grouped},   // goroutines are started by a sync.WaitGroup
	{"embedded", (*writer).embed},    // structs embed their lock
}

// Rewrite returns the files of the package that change, and new ones, with the number of places that
// have another form.
func (s Shape) Rewrite(p *Package) (files map[string][]byte, places int, err error) {
	w, err := newWriter(p)
	if err != nil {
		return nil, 0, err
	}
	s.rewrite(w)
	for f, edits := range w.edits {
		w.files[w.name(f)] = []byte(apply(w.source[f], edits))
	}
	return w.files, w.places, nil
}
