package corpus

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// Entry returns the report as a line of a golden file: position, function, detector,
// category, confidence, and a short hash of the message, which changes when the message
// names another lock or another writer.
func (r Report) Entry() string {
	sum := fnv.New32a()
	sum.Write([]byte(r.Message))
	return fmt.Sprintf("%s:%d:%d\t%s\t%s\t%s\t%s\t%08x",
		r.File, r.Line, r.Column, r.Function, r.Analyzer, r.Category, r.Confidence, sum.Sum32())
}

// Golden returns the reports as a golden file, one in a line.
func Golden(reports []Report) []byte {
	var out strings.Builder
	for _, r := range reports {
		out.WriteString(r.Entry() + "\n")
	}
	return []byte(out.String())
}

// Compare returns the differences between reports and a golden file: the lines without a
// report, and the reports without a line.
func Compare(golden []byte, reports []Report) (lost []string, gained []Report) {
	left := make(map[string]int)
	for line := range strings.Lines(string(golden)) {
		left[strings.TrimSuffix(line, "\n")]++
	}
	for _, r := range reports {
		if line := r.Entry(); left[line] > 0 {
			left[line]--
		} else {
			gained = append(gained, r)
		}
	}
	for line := range strings.Lines(string(golden)) {
		if line = strings.TrimSuffix(line, "\n"); left[line] > 0 {
			left[line]--
			lost = append(lost, line)
		}
	}
	return lost, gained
}
