package accesspath

import (
	"strconv"
	"strings"
)

// A Key identifies an element of a container: by a constant, by the path of a value that
// has not changed, or not at all. The key of an element of an element has a part for each
// container, the outer one first. The zero Key stands for the container as a whole. As
// for a Path, its text form is its identity.
type Key string

const (
	// AnyKey is the key of an unknown element.
	AnyKey Key = "*"
	// keySep separates the parts.
	keySep = ";"
	// constMark begins a constant.
	constMark = "="
)

// ConstKey returns the key of a constant index with the given exact text.
func ConstKey(text string) Key {
	const max = 32
	if len(text) > max {
		text = text[:max] + "#" + strconv.FormatUint(hash(text), 36)
	}
	// Brackets delimit selectors, semicolons keys.
	return constMark + Key(strings.NewReplacer("[", "(", "]", ")", keySep, ",").Replace(text))
}

// hash is FNV-1a: it keeps the keys of different long constants different.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// PathKey returns the key of the value at a path.
func PathKey(p Path) Key {
	if p == Unknown {
		return AnyKey
	}
	return Key(p)
}

// Then returns the key of the element that inner selects of the element k.
func (k Key) Then(inner Key) Key {
	if k == "" {
		return inner
	}
	return k + keySep + inner
}

// Parts returns the keys of an element of an element, the outer one first.
func (k Key) Parts() []Key {
	parts := strings.Split(string(k), keySep)
	out := make([]Key, len(parts))
	for i, p := range parts {
		out[i] = Key(p)
	}
	return out
}

// IsNested reports whether k is the key of an element of an element.
func (k Key) IsNested() bool { return strings.Contains(string(k), keySep) }

// Outer returns the key of the outermost container.
func (k Key) Outer() Key {
	outer, _, _ := strings.Cut(string(k), keySep)
	return Key(outer)
}

// Const returns the text of a constant.
func (k Key) Const() (text string, ok bool) { return strings.CutPrefix(string(k), constMark) }

func (k Key) isConst() bool { return strings.HasPrefix(string(k), constMark) }

// Path returns the path of the value that is the key, or Unknown.
func (k Key) Path() Path {
	if k == AnyKey || k.isConst() || k.IsNested() {
		return Unknown
	}
	return Path(k)
}

// HasAny reports whether some part of k is an unknown element.
func (k Key) HasAny() bool { return hasAny(string(k)) }

// hasAny reports whether AnyKey is in a key, or in the selectors of a path. The text of a
// constant is arbitrary up to the end of the constant.
func hasAny(text string) bool {
	begins := true // at the beginning of a key
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case begins && c == '=':
			for i+1 < len(text) && text[i+1] != ']' && text[i+1] != ';' {
				i++
			}
			begins = false
		case begins && c == '*' && (i+1 == len(text) || text[i+1] == ']' || text[i+1] == ';'):
			return true
		default:
			begins = c == '[' || c == ';'
		}
	}
	return false
}

// Substitute is Path.Substitute for a key.
func (k Key) Substitute(root func(Path) Path) Key {
	if !k.IsNested() {
		return k.substitute(root)
	}
	var out strings.Builder
	for i, part := range k.Parts() {
		if i > 0 {
			out.WriteString(keySep)
		}
		out.WriteString(string(part.substitute(root)))
	}
	return Key(out.String())
}

// rename is Path.Rename for a key.
func (k Key) rename(name func(Path) Path) Key {
	parts := k.Parts()
	for i, part := range parts {
		if p := part.Path(); p != Unknown {
			parts[i] = PathKey(p.Rename(name))
		}
	}
	out := parts[0]
	for _, part := range parts[1:] {
		out = out.Then(part)
	}
	return out
}

func (k Key) substitute(root func(Path) Path) Key {
	if k == "" || k == AnyKey || k.isConst() {
		return k
	}
	p := Path(k)
	if p == p.Root() {
		if c := Key(root(p)); c.isConst() {
			return c
		}
	}
	return PathKey(p.Substitute(root))
}

// Repeats is Path.Repeats for the paths in a key.
func (k Key) Repeats() bool { return repeats(string(k)) }

// KeysOverlap reports whether two keys, as far as they can be compared, select the same
// element, or one selects a part or the whole of what the other selects. Two different
// variables are taken to select different elements. If the shard of an element is
// unknown, an element with the same inner key is taken to be in the same shard, as the
// shard is chosen by the key.
func KeysOverlap(a, b Key) bool {
	if a == "" || b == "" {
		return true
	}
	as, bs := a.Parts(), b.Parts()
	n := min(len(as), len(bs))
	for i := range n {
		if as[i] == bs[i] && !as[i].HasAny() {
			continue
		}
		inShard := i == 0 && n > 1 && as[i] == AnyKey && bs[i] == AnyKey
		if !inShard {
			return false
		}
	}
	return true
}

// KeysMayMatch reports whether two keys may select the same element: all but two
// different constants may. It over-approximates, for a rule that excludes a candidate;
// KeysOverlap is for a rule that reports one.
func KeysMayMatch(a, b Key) bool {
	if KeysOverlap(a, b) {
		return true
	}
	x, y := a.Outer(), b.Outer()
	return !x.isConst() || !y.isConst() || x == y
}

// SameElement reports whether two keys certainly select the same element, or
// both the container as a whole.
func SameElement(a, b Key) bool { return a == b && !a.HasAny() }
