package escaperef

import (
	"sync"
	"sync/atomic"
)

type file struct{ n int }

func (f *file) Write(b []byte) {}
func (f *file) Sync()          {}

type Journal struct {
	mu  sync.Mutex
	out atomic.Pointer[file]
	n   int
}

// Rotate is called with the lock.
func (j *Journal) rotate() {
	j.out.Store(new(file))
	j.n = 0
}

func (j *Journal) Rotate() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.rotate()
}

func (j *Journal) Append(b []byte) {
	j.mu.Lock()
	j.out.Load().Write(b)
	j.n++
	j.mu.Unlock()
	j.out.Load().Sync() // want `escape-ref: j\.out was loaded at line \d+ under j\.mu, which its writers hold; loaded again here, after that was released, it may be another`
}

func (j *Journal) AppendOne(b []byte) {
	j.mu.Lock()
	out := j.out.Load()
	out.Write(b)
	j.mu.Unlock()
	out.Sync()
}

func (j *Journal) AppendLocked(b []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.out.Load().Write(b)
	j.out.Load().Sync()
}

// Flush is right without the lock: it looks once.
func (j *Journal) Flush() { j.out.Load().Sync() }

// AppendSame asks whether it is still the same.
func (j *Journal) AppendSame(b []byte) {
	j.mu.Lock()
	out := j.out.Load()
	out.Write(b)
	j.mu.Unlock()
	if now := j.out.Load(); now == out {
		now.Sync()
	}
}

// AppendTwice has a lock both times: each section is about the file that is there.
func (j *Journal) AppendTwice(b []byte) {
	j.mu.Lock()
	j.out.Load().Write(b)
	j.mu.Unlock()
	j.mu.Lock()
	j.out.Load().Sync()
	j.mu.Unlock()
}
