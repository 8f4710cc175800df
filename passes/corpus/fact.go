package corpus

import (
	"reflect"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/objectpath"
)

// facts are the facts of packages, by path. A package with nil has been analyzed without
// a result, or cannot be.
type facts map[string]*packageFacts

// packageFacts are the facts of a package and of its objects. They do not refer to the
// types of the package, so that they remain valid when the package is loaded again.
type packageFacts struct {
	list map[factKey]analysis.Fact
}

type factKey struct {
	object objectpath.Path // "" for the package
	kind   reflect.Type
}

func (p *packageFacts) add(object objectpath.Path, f analysis.Fact) {
	if p.list == nil {
		p.list = make(map[factKey]analysis.Fact)
	}
	p.list[factKey{object, reflect.TypeOf(f)}] = f
}

// of sets f to the fact of its type about the object, if there is one.
func (p *packageFacts) of(object objectpath.Path, f analysis.Fact) bool {
	if p == nil {
		return false
	}
	known, ok := p.list[factKey{object, reflect.TypeOf(f)}]
	if ok {
		reflect.ValueOf(f).Elem().Set(reflect.ValueOf(known).Elem())
	}
	return ok
}
