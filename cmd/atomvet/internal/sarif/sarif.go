// Package sarif prints findings in the Static Analysis Results Interchange Format, 2.1.0, as
// GitHub and other viewers of alerts take it.
//
// GitHub shows related locations only if the message links to them, counts columns in code
// points, and needs fingerprints that survive edits elsewhere to know an alert again.
package sarif

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/explain"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/identity"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
)

const (
	version = "2.1.0"
	schema  = "https://json.schemastore.org/sarif-2.1.0.json"
	home    = "https://github.com/atomvet/atomvet"

	// fingerprint is the name of the fingerprint, with the version of the way to compute it.
	fingerprint = "atomvet/v1"
)

// Print prints a log with one run. The version is that of atomvet.
func Print(w io.Writer, list []report.Finding, toolVersion string) error {
	p := &printer{source: report.NewSource(), numbers: make(map[identity.Key]int)}
	r := run{
		Tool:       tool{driver{Name: "atomvet", Version: toolVersion, InformationURI: home, Rules: rules(list)}},
		ColumnKind: "unicodeCodePoints",
		Results:    []result{},
	}
	for i := range list {
		f := &list[i]
		index := slices.IndexFunc(r.Tool.Driver.Rules, func(r rule) bool { return r.ID == f.Rule() })
		r.Results = append(r.Results, p.result(f, index))
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	return enc.Encode(log{Version: version, Schema: schema, Runs: []run{r}})
}

// rules returns the rules of findings, in order of their names.
func rules(list []report.Finding) []rule {
	out := []rule{}
	for i := range list {
		f := &list[i]
		at, found := slices.BinarySearchFunc(out, f.Rule(), func(r rule, id string) int { return strings.Compare(r.ID, id) })
		if found {
			continue
		}
		r := rule{ID: f.Rule(), HelpURI: f.URL, Properties: properties{Tags: []string{"concurrency", "atomicity", f.Analyzer}}}
		r.ShortDescription.Text, r.FullDescription.Text, r.Help.Text = f.Rule(), f.Rule(), f.Rule()
		if texts := explain.Of(f.Rule()); len(texts) == 1 {
			t := texts[0]
			meaning, _, _ := strings.Cut(t.Body, "\n\n")
			r.ShortDescription.Text, r.FullDescription.Text = t.Title, strings.Join(strings.Fields(meaning), " ")
			// An indented block is code in Markdown, too.
			r.Help = text{Text: t.String(), Markdown: t.Body}
		}
		out = slices.Insert(out, at, r)
	}
	return out
}

type printer struct {
	source  *report.Source
	numbers map[identity.Key]int // of findings so far
}

func (p *printer) result(f *report.Finding, ruleIndex int) result {
	r := result{
		RuleID: f.Rule(), RuleIndex: ruleIndex, Level: level(f),
		Message: text{Text: p.message(f)},
	}
	here := p.location(f.Position, f.End)
	if name := p.source.FunctionName(f.Position); name != "" {
		here.Logical = []logicalLocation{{Name: name, Qualified: f.Package + "." + name, Kind: "function"}}
	}
	r.Locations = []location{here}
	for i, rel := range f.Related {
		l := p.location(rel.Position, rel.End)
		id := i + 1
		l.ID, l.Message = &id, &text{Text: escape(rel.Message)}
		r.RelatedLocations = append(r.RelatedLocations, l)
	}
	if run := f.Run(); run != nil {
		r.CodeFlows = []codeFlow{p.codeFlow(run)}
	}
	key := identity.Of(f, p.source)
	p.numbers[key]++
	r.PartialFingerprints = map[string]string{fingerprint: fmt.Sprintf("%s:%d", key.Hash(), p.numbers[key])}
	return r
}

func level(f *report.Finding) string {
	if f.Confidence() == "high" {
		return "warning"
	}
	return "note"
}

// message returns the text, with a link to each related location. Brackets in the text would
// be links.
func (p *printer) message(f *report.Finding) string {
	var b strings.Builder
	b.WriteString(escape(f.Title()))
	for i, r := range f.Related {
		fmt.Fprintf(&b, "\n[%s:%d](%d): %s", escape(filepath.Base(r.File)), r.Line, i+1, escape(r.Message))
	}
	return b.String()
}

// escape makes plain text of what could be a link in a message.
func escape(s string) string {
	return strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`).Replace(s)
}

func (p *printer) location(from, to report.Position) location {
	l := location{Physical: physicalLocation{Artifact: artifact{uri(from.File)}}}
	from = p.source.Start(from)
	if from.Line > 0 {
		l.Physical.Region = &region{StartLine: from.Line, StartColumn: p.source.CodePoints(from)}
		if to.File == from.File && to.Line >= from.Line && from.Column > 0 && to.Column > 0 && report.ComparePositions(from, to) < 0 {
			l.Physical.Region.EndLine, l.Physical.Region.EndColumn = to.Line, p.source.CodePoints(to)
		}
	}
	return l
}

// uri returns the relative or absolute reference of a file.
func uri(file string) string {
	u := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		u.Scheme = "file"
		u.Path = "/" + strings.TrimPrefix(u.Path, "/")
	}
	return u.String()
}

// codeFlow returns the run of an interleaving: a thread for each goroutine.
func (p *printer) codeFlow(run *report.Interleaving) codeFlow {
	var flow codeFlow
	if run.Outcome != "" {
		flow.Message = &text{Text: escape(run.Outcome)}
	}
	for g, name := range run.Goroutines {
		thread := threadFlow{ID: fmt.Sprint(g + 1), Message: text{Text: escape(name)}}
		for i, s := range run.Steps {
			if s.Goroutine != g {
				continue
			}
			at := threadFlowLocation{Location: p.location(s.Position, s.End), ExecutionOrder: i + 1}
			at.Location.Message = &text{Text: escape(s.Message)}
			if s.State != "" {
				at.State = map[string]stateValue{"memory": {s.State}}
			}
			thread.Locations = append(thread.Locations, at)
		}
		if len(thread.Locations) > 0 {
			flow.ThreadFlows = append(flow.ThreadFlows, thread)
		}
	}
	return flow
}
