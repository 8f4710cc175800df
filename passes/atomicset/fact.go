package atomicset

import (
	"fmt"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
)

// Sets are the atomic sets that a package declares, as a fact.
type Sets struct {
	// List has the sets in the order of their declarations.
	List []SetFact
}

// A SetFact is one atomic set.
type SetFact struct {
	Owner, Name string // the type with the set, "" for package variables; the set
	Members     []MemberFact
}

// A MemberFact is one location of a set: its selector in the owner, and its declaration.
type MemberFact struct {
	Sel, Loc string
}

// AFact marks Sets as a fact.
func (*Sets) AFact() {}

// String returns the sets for tests and debugging.
func (s *Sets) String() string {
	var out []string
	for _, f := range s.List {
		out = append(out, fmt.Sprintf("%s %s %d", f.Owner, f.Name, len(f.Members)))
	}
	return strings.Join(out, ", ")
}

// exportSets exports the sets of the package as a fact.
func exportSets(pass *analysis.Pass, sets []*atomicSet) {
	fact := new(Sets)
	for _, s := range sets {
		f := SetFact{Owner: s.owner, Name: s.name}
		for _, m := range s.members {
			f.Members = append(f.Members, MemberFact{m.sel, string(m.loc)})
		}
		fact.List = append(fact.List, f)
	}
	if len(fact.List) > 0 {
		pass.ExportPackageFact(fact)
	}
}

// importedSets returns the sets of the packages that this one imports.
func importedSets(pass *analysis.Pass) []*atomicSet {
	var out []*atomicSet
	for _, pkg := range pass.Pkg.Imports() {
		fact := new(Sets)
		if !pass.ImportPackageFact(pkg, fact) {
			continue
		}
		for _, f := range fact.List {
			s := &atomicSet{name: f.Name, owner: f.Owner}
			for _, m := range f.Members {
				s.members = append(s.members, member{m.Sel, accesspath.Location(m.Loc)})
			}
			if len(s.members) > 0 {
				out = append(out, s)
			}
		}
	}
	return out
}
