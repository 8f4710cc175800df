// Package writer is the output writer of Jose, from the paper about context and
// witness locks (Fig. 11).
//
// Stylistic: Report.Print holds the report and calls LineWriter.Write three times,
// each of which locks the writer. The lines of another report may come in between.
// Every line is whole, and says to which report it belongs, so no reader is misled;
// one Write with all three lines would look better.
package writer

import (
	"fmt"
	"strings"
	"sync"
)

type LineWriter struct {
	mu  sync.Mutex
	out strings.Builder
}

func (w *LineWriter) Write(line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out.WriteString(line)
	w.out.WriteByte('\n')
}

func (w *LineWriter) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.String()
}

type Report struct {
	mu    sync.Mutex
	name  string
	moves int
	w     *LineWriter
}

func (r *Report) Move() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.moves++
}

func (r *Report) Print() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.w.Write(r.name + ": begin")
	r.w.Write(fmt.Sprintf("%s: %d moves", r.name, r.moves))
	r.w.Write(r.name + ": end")
}

func Run() {
	w := &LineWriter{}
	white, black := &Report{name: "white", w: w}, &Report{name: "black", w: w}
	var wg sync.WaitGroup
	for _, r := range []*Report{white, black} {
		wg.Go(r.Move)
		wg.Go(r.Print)
	}
	wg.Wait()
	_ = w.String()
}
