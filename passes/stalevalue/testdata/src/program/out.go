package main

import (
	"sync"
	"sync/atomic"
)

type file struct{ n int }

func (f *file) Write(b []byte) {}
func (f *file) Sync()          {}

// A journal is only used by the goroutine of loop.
type journal struct {
	mu   sync.Mutex
	file atomic.Pointer[file]
}

var out journal

func (j *journal) open() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.file.Store(new(file))
}

func (j *journal) write(b []byte) {
	j.mu.Lock()
	j.file.Load().Write(b)
	j.mu.Unlock()
	j.file.Load().Sync()
}
