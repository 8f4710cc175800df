package storage

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// partition holds the parts of a month.
type partition struct {
	name     string
	deadline time.Time

	partsLock sync.Mutex
	parts     [][]string

	stopCh chan struct{}
}

func (pt *partition) MustClose() {
	close(pt.stopCh)
}

func (pt *partition) Drop() {
	pt.partsLock.Lock()
	pt.parts = nil
	pt.partsLock.Unlock()
}

func (pt *partition) forEachRow(f func(row string)) {
	pt.partsLock.Lock()
	parts := append([][]string(nil), pt.parts...)
	pt.partsLock.Unlock()
	for _, p := range parts {
		for _, row := range p {
			f(row)
		}
	}
}

// ForceMergeAllParts runs merge for all the parts in pt. Only one merge of a
// partition is run at a time.
func (pt *partition) ForceMergeAllParts(stop <-chan struct{}) error {
	pt.partsLock.Lock()
	defer pt.partsLock.Unlock()
	var merged []string
	for _, p := range pt.parts {
		select {
		case <-stop:
			return errForciblyStopped
		default:
		}
		merged = append(merged, p...)
	}
	pt.parts = [][]string{merged}
	return nil
}

// App is the storage with its HTTP handlers.
type App struct {
	tb  *table
	srv *http.Server
}

func NewApp(path string, pts []*partition) *App {
	a := &App{tb: mustOpenTable(path, pts)}
	a.srv = &http.Server{Handler: a}
	return a
}

func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/internal/force_merge":
		// Run force merge in background
		partitionNamePrefix := r.FormValue("partition_prefix")
		go func() {
			if err := a.tb.ForceMergePartitions(partitionNamePrefix); err != nil {
				forceMergeErrors.inc()
			}
		}()
	case "/export":
		a.tb.Search(func(row string) {
			w.Write([]byte(row))
		})
	default:
		http.NotFound(w, r)
	}
}

type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) inc() {
	c.mu.Lock()
	c.n++
	c.mu.Unlock()
}

var forceMergeErrors counter

// Stop waits for the running requests and closes the storage.
func (a *App) Stop() {
	_ = a.srv.Shutdown(context.Background())
	a.tb.MustClose()
}
