package process

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A contract says that a function does not run beside itself on the same object. The
// directive //atomvet:serial states it for all methods of a type that have it: one of them
// runs at a time. A sentence in the doc comment states it for the function alone; it is
// evidence, but no proof.
//
//	// write is not safe for concurrent use.
//	func (l *log) write(b []byte) error
//
// A contract gives a role to the function, and to what is only called by functions with
// the role.

const (
	serialDirective = "//atomvet:serial"
	declared        = "serial "     // begins the location of a role by directive
	documented      = "documented " // begins the location of a role by a doc comment
)

// sentence matches what people write of functions that must not run beside themselves.
var sentence = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`\bnot\s+(be\s+)?(safe|called|invoked|used|run)\b[^.]{0,30}\b(concurrent|parallel|multiple goroutines)`,
	`\b(thread|goroutine)-?unsafe\b`,
	`\bnot\s+(thread|goroutine|concurrency)[ -]?safe\b`,
	`\b(called|invoked|run)\s+((only|at most|exactly|just)\s+)?once\s*([.;,)]|$)`, // not: once for each of many
}, "|"))

// confines matches what people write of what one goroutine does. If there is one for each of many, these are named, or "its own".
//
//	// serve runs in one goroutine for each connection.
var confines = regexp.MustCompile(`(?i)\b(?:from|by|in)\s+(?:a|one|the same|only one)\s+(?:single\s+)?goroutine\b(?:\s+(?:for\s+each|for\s+every|per|of\s+its)\s+(\w+))?`)

// docsOf returns the doc comments of the functions in some files, by the position of the
// name.
func docsOf(files []*ast.File) map[token.Pos]*ast.CommentGroup {
	out := make(map[token.Pos]*ast.CommentGroup)
	for _, file := range files {
		for _, d := range file.Decls {
			if decl, ok := d.(*ast.FuncDecl); ok && decl.Doc != nil {
				out[decl.Name.Pos()] = decl.Doc
			}
		}
	}
	return out
}

// contractRoles returns the roles that f has by contract.
func (p *Processes) contractRoles(f *Func) []role {
	doc := p.docs[f.Fn.Pos()]
	if doc == nil {
		return nil
	}
	base, owner := accesspath.Path("@"), ""
	if recv := f.Fn.Signature.Recv(); recv != nil {
		base = accesspath.Param(0)
		if named := ssautil.Named(recv.Type()); named != nil {
			owner = named.Obj().Name()
		}
	}
	var out []role
	if slices.ContainsFunc(doc.List, func(c *ast.Comment) bool { return strings.TrimSpace(c.Text) == serialDirective }) {
		out = append(out, role{accesspath.Location(declared + owner), base, true})
	}
	if isContract(doc.Text(), owner) {
		out = append(out, role{accesspath.Location(documented + owner + "." + f.Fn.Name()), base, true})
	}
	return out
}

// isContract reports whether a doc comment of a method of a type says that it does not run beside itself.
func isContract(doc, owner string) bool {
	return sentence.MatchString(doc) || slices.ContainsFunc(confines.FindAllStringSubmatch(doc, -1), func(m []string) bool {
		return m[1] == "" || strings.EqualFold(m[1], owner)
	})
}

// isDocumented reports whether a role comes from a doc comment.
func (r role) isDocumented() bool { return strings.HasPrefix(string(r.loc), documented) }
