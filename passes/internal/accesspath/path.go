// Package accesspath names memory from the point of view of one function.
//
// Two questions decide most reports: are two locks the same lock, and are two accesses on
// the same object. Without a heap model both are answered by names: an access path is a
// root (a parameter, a free variable, a package variable, a value or a fresh object of
// the function) followed by field and index selectors. Pointer dereferences are not
// written: the static types already distinguish a pointer from what it points to, and
// leaving them out gives s.mu one name whether s or mu is held by pointer.
//
// Equal paths denote the same object as long as nothing on them was reassigned in
// between, which the lock state checks. Different paths may still alias; aliases are
// ignored, because a lock discipline is rarely written through two different names.
package accesspath

import (
	"slices"
	"strconv"
	"strings"

	"github.com/atomvet/atomvet/passes/internal/limit"
)

// A Path names an object or a piece of one, for example p0.mu or p0.parts[p1.Part]. Its
// text form is its identity, so that paths can be compared, used as map keys and written
// to facts as they are.
//
//	path = root { "." field | "[" key "]" }
//	root = "p" n        parameter n, the receiver first
//	     | "f" n        free variable n
//	     | "@" pkg "#" name   package variable
//	     | "v" n        another value of the function
//	     | "n" n        an object allocated by the function
//	key  = path | "=" constant | "*"
//
// A concatenation of the string at a path and another string has the path, and the
// selectors ".+" and "[" key "]" of the other; ".+:" if the other string comes first.
//
// The keys of an element of an element are separated by ";": see Key.
type Path string

// Unknown is the path of an object without a name. It equals nothing, not even itself:
// see Same.
const Unknown Path = ""

// Param returns the path of parameter i of a function, receiver first.
func Param(i int) Path { return Path("p" + strconv.Itoa(i)) }

// Free returns the path of free variable i of a function literal.
func Free(i int) Path { return Path("f" + strconv.Itoa(i)) }

// Global returns the path of a package variable.
func Global(pkg, name string) Path { return Path("@" + pkg + "#" + name) }

// Same reports whether a and b certainly name the same object.
func Same(a, b Path) bool {
	return a == b && a != Unknown && !a.HasAny()
}

// Field returns the path of a field of p.
func (p Path) Field(name string) Path { return p.sel("." + name) }

// Index returns the path of the element of p that key selects.
func (p Path) Index(key Key) Path { return p.sel("[" + string(key) + "]") }

// HasAny reports whether p leads through an unknown element.
func (p Path) HasAny() bool { return p != Unknown && hasAny(p.Selectors()) }

func (p Path) sel(s string) Path {
	if p == Unknown || p.selectors() >= limit.Selectors {
		return Unknown
	}
	return p + Path(s)
}

func (p Path) selectors() int {
	n := 0
	for rest := p[len(p.Root()):]; rest != ""; rest = rest[len(firstSelector(rest)):] {
		n++
	}
	return n
}

// Root returns the part of p before the first selector.
func (p Path) Root() Path {
	i := 0
	if strings.HasPrefix(string(p), "@") {
		// Import paths have dots of their own.
		i = strings.IndexByte(string(p), '#') + 1
	}
	for ; i < len(p); i++ {
		if p[i] == '.' || p[i] == '[' {
			break
		}
	}
	return p[:i]
}

// Selectors returns the part of p after its root.
func (p Path) Selectors() string { return string(p[len(p.Root()):]) }

// The selectors of a concatenated string.
const (
	followedBy = "+"
	precededBy = "+:"
)

// IsComputed reports whether p is, or is in, a concatenated string.
func (p Path) IsComputed() bool { return strings.Contains(p.Selectors(), "."+followedBy) }

// IsElement reports whether the last selector of p selects an element of a container.
func (p Path) IsElement() bool { return isIndex(p.Last()) }

// HasElement reports whether p leads through an element of a container.
func (p Path) HasElement() bool { return strings.Contains(p.Selectors(), "[") }

// isIndex reports whether a selector selects an element.
func isIndex(selector string) bool { return strings.HasPrefix(selector, "[") }

// IsAnyOf reports whether p stands for all elements of some container, where q stands for one of them.
//
//	s.replicas[*].state, s.replicas[id].state
func (p Path) IsAnyOf(q Path) bool {
	for p != q {
		if p == Unknown || q == Unknown {
			return false
		}
		x, y := p.Last(), q.Last()
		if x != y {
			return x == string(anyElement) && isIndex(y) && p.Parent() == q.Parent()
		}
		p, q = p.Parent(), q.Parent()
	}
	return false
}

// Generalized returns p with the unknown key in the place of each key: p0.m[*].n for p0.m[p1].n. Two elements of a container have one
// generalized path.
func (p Path) Generalized() Path {
	out := p.Root()
	for rest := p[len(out):]; rest != ""; {
		s := firstSelector(rest)
		rest = rest[len(s):]
		if isIndex(string(s)) {
			s = anyElement
		}
		out += s
	}
	return out
}

// anyElement selects an unknown element.
const anyElement = "[" + Path(AnyKey) + "]"

// Repeats reports whether a field is selected twice in p, keys included: p0.next.next.
// Such paths grow in each iteration of the summaries of a recursive function.
func (p Path) Repeats() bool { return repeats(string(p)) }

func repeats(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] != '.' {
			continue
		}
		end := i + 1
		for end < len(text) && text[end] != '.' && text[end] != '[' && text[end] != ']' && text[end] != ';' {
			end++
		}
		field, rest := text[i:end], text[end:]
		for rest != "" {
			j := strings.Index(rest, field)
			if j < 0 {
				break
			}
			rest = rest[j+len(field):]
			if rest == "" || strings.IndexByte(".[];", rest[0]) >= 0 {
				return true
			}
		}
	}
	return false
}

// Parent returns p without its last selector, or Unknown for a root.
func (p Path) Parent() Path {
	for i := len(p.Root()); i < len(p); {
		n := len(firstSelector(p[i:]))
		if i+n == len(p) {
			return p[:i]
		}
		i += n
	}
	return Unknown
}

// Last returns the last selector of p, "" for a root. Its receiver may consist of
// selectors alone.
func (p Path) Last() string {
	if p == p.Root() {
		return ""
	}
	return string(p[len(p.Parent()):])
}

// Within reports whether p names q or something reached through q.
func (p Path) Within(q Path) bool {
	if q == Unknown || !strings.HasPrefix(string(p), string(q)) {
		return false
	}
	return len(p) == len(q) || p[len(q)] == '.' || p[len(q)] == '['
}

// Moved returns p, which is within from, as it is reached from another object.
func (p Path) Moved(from, to Path) Path { return to + p[len(from):] }

// Apart returns two paths without their common prefix. Paths with different roots have none.
func Apart(a, b Path) (Path, Path) {
	if a.IsGlobal() || b.IsGlobal() {
		return a, b
	}
	root := a.Root()
	if root != b.Root() {
		return a, b
	}
	q := a
	for len(q) > len(root) && !b.Within(q) {
		q = q.Parent()
	}
	return a[len(q):], b[len(q):]
}

// IsFresh reports whether the root of p is an object allocated by the function.
func (p Path) IsFresh() bool { return len(p) > 1 && p[0] == 'n' }

// IsLocal reports whether p has no meaning outside its function.
func (p Path) IsLocal() bool { return p == Unknown || p[0] == 'v' || p[0] == 'n' }

// ParamIndex returns the number of the parameter that p starts at, or -1.
func (p Path) ParamIndex() int { return p.number('p') }

// FreeIndex returns the number of the free variable that p starts at, or -1.
func (p Path) FreeIndex() int { return p.number('f') }

// number returns the number of the root of p, which is of a kind, or -1.
func (p Path) number(kind byte) int {
	root := p.Root()
	if len(root) < 2 || root[0] != kind {
		return -1
	}
	n, err := strconv.Atoi(string(root[1:]))
	if err != nil {
		return -1
	}
	return n
}

// IsParam reports whether p starts at a parameter.
func (p Path) IsParam() bool { return len(p) > 0 && p[0] == 'p' }

// IsFree reports whether p starts at a variable that a literal has captured.
func (p Path) IsFree() bool { return len(p) > 0 && p[0] == 'f' }

// IsGlobal reports whether p starts at a package variable.
func (p Path) IsGlobal() bool { return len(p) > 0 && p[0] == '@' }

// Keys returns the keys in p, those of elements of elements as one.
func (p Path) Keys() []Key {
	var out []Key
	for rest := p[len(p.Root()):]; rest != ""; {
		s := firstSelector(rest)
		rest = rest[len(s):]
		if s[0] == '[' && s[len(s)-1] == ']' {
			out = append(out, Key(s[1:len(s)-1]))
		}
	}
	return out
}

// Fields returns the names of the fields that p leads through, without elements of containers.
func (p Path) Fields() []string {
	var out []string
	for rest := p[len(p.Root()):]; rest != ""; {
		s := firstSelector(rest)
		rest = rest[len(s):]
		if !isIndex(string(s)) {
			out = append(out, string(s[1:]))
		}
	}
	return out
}

// SelectedBy reports whether p has an element that the value with the given name selects, or a part of that value.
func (p Path) SelectedBy(name Path) bool {
	return slices.ContainsFunc(p.Keys(), func(k Key) bool { return k.Path().Root() == name })
}

// Substitute translates p from the terms of one function to those of another: root maps
// every root in p to a path, or to Unknown if the other function has no name for it. An
// index whose key has no name becomes [*]. If the root is a constant in the other
// function, root returns its key, see ConstKey.
func (p Path) Substitute(root func(Path) Path) Path {
	if p == Unknown {
		return Unknown
	}
	r := p.Root()
	out := root(r)
	if out == Unknown || Key(out).isConst() {
		return Unknown
	}
	return out.Join(p[len(r):], root)
}

// Join returns the part of p that selectors lead to, with the keys in them translated by root: see Substitute.
func (p Path) Join(selectors Path, root func(Path) Path) Path {
	out := p
	for rest := selectors; rest != ""; {
		s := firstSelector(rest)
		rest = rest[len(s):]
		if s[0] == '[' {
			if len(s) < 2 || s[len(s)-1] != ']' {
				return Unknown // not a path: a corrupt fact
			}
			s = "[" + Path(Key(s[1:len(s)-1]).Substitute(root)) + "]"
		}
		out = out.sel(string(s))
	}
	return out
}

// Rename returns p with the longest beginnings of it, and of the paths that are keys in it, for which another name is known
// replaced by that. The name of others is Unknown.
func (p Path) Rename(name func(Path) Path) Path {
	if p == Unknown {
		return Unknown
	}
	out := p.Root()
	for at := out; ; {
		if other := name(at); other != Unknown {
			out = other
		}
		if len(at) == len(p) {
			return out
		}
		s := firstSelector(p[len(at):])
		at += s
		if s[0] == '[' && s[len(s)-1] == ']' {
			s = "[" + Path(Key(s[1:len(s)-1]).rename(name)) + "]"
		}
		out = out.sel(string(s))
	}
}

// firstSelector returns the selector that rest starts with.
func firstSelector(rest Path) Path {
	if rest[0] == '.' {
		for i := 1; i < len(rest); i++ {
			if rest[i] == '.' || rest[i] == '[' {
				return rest[:i]
			}
		}
		return rest
	}
	depth := 0
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return rest[:i+1]
			}
		}
	}
	return rest
}
