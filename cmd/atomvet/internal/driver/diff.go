package driver

import (
	"bytes"
	"slices"
)

// sortDiff sorts the diffs of files by name. The go command prints them in the
// order in which it is done with the packages.
func sortDiff(diff []byte) []byte {
	var files [][]byte
	start := 0
	for i := 0; i < len(diff); {
		if i > start && startsFile(diff[i:]) {
			files = append(files, diff[start:i])
			start = i
		}
		end := bytes.IndexByte(diff[i:], '\n')
		if end < 0 {
			break
		}
		i += end + 1
	}
	files = append(files, diff[start:])
	slices.SortStableFunc(files, bytes.Compare)
	return bytes.Join(files, nil)
}

// startsFile reports whether the text begins with the header of a file.
// A deleted and an added line can look like one, but not name the same file.
func startsFile(text []byte) bool {
	old, rest, _ := bytes.Cut(text, []byte("\n"))
	new, _, _ := bytes.Cut(rest, []byte("\n"))
	old, ok1 := bytes.CutPrefix(old, []byte("--- "))
	new, ok2 := bytes.CutPrefix(new, []byte("+++ "))
	old, ok3 := bytes.CutSuffix(old, []byte(" (old)"))
	new, ok4 := bytes.CutSuffix(new, []byte(" (new)"))
	return ok1 && ok2 && ok3 && ok4 && bytes.Equal(old, new)
}
