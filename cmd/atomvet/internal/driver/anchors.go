package driver

import (
	"encoding/json"
	"strings"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/identity"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
)

// anchorPrefix begins the message of the related position that has the anchors of a finding,
// which is how they pass through go vet: see passes/internal/anchor.
const anchorPrefix = "anchors: "

// takeAnchors moves the related positions that have anchors to structures: those of the finding,
// and those of each further finding, which follow its message. One that cannot be read stays a
// related position.
func takeAnchors(list []report.Related) (rest []report.Related, own *report.Anchors) {
	for _, r := range list {
		text, ok := strings.CutPrefix(r.Message, anchorPrefix)
		a := new(report.Anchors)
		if !ok || json.Unmarshal([]byte(text), a) != nil {
			rest = append(rest, r)
			continue
		}
		if n := len(rest); n > 0 && rest[n-1].Position == r.Position && rest[n-1].Anchors == nil && report.IsFurther(rest[n-1].Message) {
			rest[n-1].Anchors = a
			continue
		}
		own = a
	}
	return rest, own
}

// number gives each finding its ID.
func number(list []finding) {
	source := report.NewSource()
	ids := make(identity.IDs)
	for i := range list {
		f := &list[i]
		f.ID = ids.Next(identity.Of(f, source))
	}
}
