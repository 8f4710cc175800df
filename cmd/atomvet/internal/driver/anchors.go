package driver

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/identity"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
)

// anchorPrefix begins the message of the related position that has the anchors of a finding,
// which is how they pass through go vet: see passes/internal/anchor.
const anchorPrefix = "anchors: "

// takeAnchors moves the related position that has anchors to a structure. One that cannot be
// read stays a related position.
func takeAnchors(list []report.Related) ([]report.Related, *report.Anchors) {
	for i, r := range list {
		text, ok := strings.CutPrefix(r.Message, anchorPrefix)
		if !ok {
			continue
		}
		a := new(report.Anchors)
		if err := json.Unmarshal([]byte(text), a); err != nil {
			continue
		}
		return slices.Delete(slices.Clone(list), i, i+1), a
	}
	return list, nil
}

// number gives each finding its ID: a short form of its identity, with a number if there are
// several of the same.
func number(list []finding) {
	source := report.NewSource()
	seen := make(map[string]int)
	for i := range list {
		f := &list[i]
		id := identity.Of(f, source).Hash()[:12]
		if seen[id]++; seen[id] > 1 {
			id = fmt.Sprintf("%s-%d", id, seen[id])
		}
		f.ID = id
	}
}
