package report

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
)

type Row struct {
	Name  string
	Total int
}

// Report is built once in the background and polled over HTTP.
type Report struct {
	complete atomic.Bool
	result   struct {
		sync.Mutex
		rows []Row
		text string
	}
}

// Build starts to gather rows from all sources.
func Build(sources ...func() []Row) *Report {
	rep := &Report{}
	go func() {
		var (
			wg  sync.WaitGroup
			all = make([][]Row, len(sources))
		)
		for i, src := range sources {
			wg.Add(1)
			go func() {
				defer wg.Done()
				all[i] = src()
			}()
		}
		wg.Wait()
		rep.finish(all)
	}()
	return rep
}

func (r *Report) finish(all [][]Row) {
	var rows []Row
	for _, part := range all {
		rows = append(rows, part...)
	}

	text := render(rows)
	r.result.Lock()
	defer r.result.Unlock()
	r.result.rows, r.result.text = rows, text
	r.complete.Store(true)
}

func render(rows []Row) string {
	var sb strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&sb, "%-20s %8d\n", row.Name, row.Total)
	}
	return sb.String()
}

func (r *Report) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	if !r.complete.Load() {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "still building", http.StatusAccepted)
		return
	}
	r.result.Lock()
	defer r.result.Unlock()
	w.Header().Set("X-Rows", fmt.Sprint(len(r.result.rows)))
	fmt.Fprint(w, r.result.text)
}
