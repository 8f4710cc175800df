package stalevalue

import (
	_ "embed"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/doc"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/stalevalue/internal/chance"
	"github.com/atomvet/atomvet/passes/stalevalue/internal/chanop"
	"github.com/atomvet/atomvet/passes/stalevalue/internal/counterpart"
	"github.com/atomvet/atomvet/passes/stalevalue/internal/lifetime"
	"github.com/atomvet/atomvet/passes/summary"
)

//go:embed doc.go
var source string

// Analyzer reports acts on stale values.
var Analyzer = &analysis.Analyzer{
	Name:       "stalevalue",
	Doc:        doc.Extract(source, "stalevalue") + "\n\n" + describeForms(),
	URL:        "https://pkg.go.dev/github.com/atomvet/atomvet/passes/stalevalue",
	Run:        run,
	Requires:   []*analysis.Analyzer{summary.Analyzer},
	ResultType: reflect.TypeFor[*finding.Silenced](),
}

func init() {
	confidence.Flag(&Analyzer.Flags)
	Analyzer.Flags.BoolVar(&strict, "strict", false,
		"report every use of a value after the critical section it was read in (block-local atomicity)")
	Analyzer.Flags.BoolVar(&runs, "runs", false,
		"execute what the rules leave: show the harmful runs, leave out what no run harms, and report pairs of accesses that only a run ties together")
	ruleFlags.Register(&Analyzer.Flags, Rules())
}

func run(pass *analysis.Pass) (any, error) {
	p := pass.ResultOf[summary.Analyzer].(*summary.Package)
	defer p.Acquire()()
	silenced := finding.Protect(pass, func() *finding.Silenced {
		others, lives, channels, own := counterpart.New(p.Guards()), lifetime.New(p.Guards()), chanop.New(p.Guards()), make(ownEffects)
		judge, starters, drawn := ruleFlags.Judge(pass), findStarters(p), chance.New()
		wanted := judge.Wants(confidence)
		var findings []finding.Finding
		for _, f := range p.Funcs {
			judged := !f.Constructs() && !f.Forwards() && wanted(f.Fn.Pos())
			if !judged && len(others.GivenBack(f)) == 0 {
				continue
			}
			d := &detector{pass: pass, judge: judge, pkg: p, f: f, others: others, lives: lives, channels: channels, starters: starters, chance: drawn, own: own, rivalRules: rivalRules, idempotent: idempotent, appended: make(map[*summary.Event][]ssa.Value)}
			d.givenBacks(poolRules) // objects of a pool are shared, also those that a function gets anew
			if judged {
				d.earlyCloses(closeRules) // a close needs no lock
				d.secondCloses(secondCloseRules)
			}
			if judged && f.State == funcsum.Built {
				d.askedLengths(lengthRules)
				if f.Flow != nil && len(f.Events) > 0 {
					d.detect()
				}
			}
			findings = append(findings, d.findings...)
		}
		return finding.Report(pass, confidence, finding.DoubtTests(pass, findings))
	})
	finding.Failures(pass, p.Failures())
	finding.Incomplete(pass, p.Incomplete())
	p.ReportOutside(pass)
	return silenced, nil
}

// detect reports what is wrong with the accesses of a function.
func (d *detector) detect() {
	d.staleValues()
	d.escapedReferences(referenceRules)
	d.secondLoads(loadRules)
	d.ownLoads(ownLoadRules)
	d.ownStores(ownStoreRules)
	d.lateEntries(entryRules)
	d.lateReplies(replyRules)
	d.lateTimers(timerRules)
	d.lateMarks(markRules)
	d.lateWakes(wakeUpRules)
	d.takeovers(takeoverRules)
	d.lostNotifications(notificationRules)
	d.lateFetches(notificationRules)
	d.lostWakeups(wakeRules)
	d.lateClears(clearRules)
	d.strandings(strandRules)
	d.outlivedObjects(outlivedRules)
	if strict {
		d.escapes(escapeRules)
	}
}

// Rules describes all rules of the detector.
func Rules() []rule.Info {
	return slices.Concat(
		dependences.List(), effectLinks.List(), skews.List(), drained.List(), resets.List(), drops.List(), discards.List(), fills.List(), counts.List(), lookups.List(), indices.List(), staleRules.List(), rivalRules.List(), actRules.List(),
		referenceRules.List(), loadRules.List(), ownLoadRules.List(), lengthRules.List(), closeRules.List(), secondCloseRules.List(), ownStoreRules.List(), entryRules.List(), replyRules.List(), timerRules.List(), markRules.List(), wakeUpRules.List(), poolRules.List(), takeoverRules.List(), notificationRules.List(), wakeRules.List(), clearRules.List(), strandRules.List(), outlivedRules.List(), escapeRules.List(),
	)
}
