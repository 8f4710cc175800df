package repro

import (
	"bytes"
	"fmt"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/program"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
)

// SwitchAt moves the switch of a finding to the beginning of a line, given as file:line. Otherwise it is
// where the later critical section begins, or else at the act; that may be too late for a rival that
// interferes by another variable than the one that was checked.
func SwitchAt(p *program.Program, f *report.Finding, at string) error {
	pos := report.ParsePosition(at)
	if f.Anchors == nil || pos.Line == 0 {
		return fmt.Errorf("%s: not a line", at)
	}
	for _, file := range p.Files {
		if file.Name != absolute(pos.File) {
			continue
		}
		lines := bytes.Split(file.Source, []byte("\n"))
		if pos.Line > len(lines) {
			break
		}
		line := lines[pos.Line-1]
		pos.Column = len(line) - len(bytes.TrimLeft(line, " \t")) + 1
		f.Anchors.Later = &pos
		return nil
	}
	return fmt.Errorf("%s: no such line in the packages", at)
}
