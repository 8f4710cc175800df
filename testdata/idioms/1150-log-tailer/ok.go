// Correct: position is written by one goroutine only, the one that NewTailer
// starts; what step has read therefore still holds when it writes. The lock
// is there for those who ask for the position.
package ok

import (
	"sync"
	"time"
)

// Source is a file that grows.
type Source interface {
	ReadFrom(off int64) ([]byte, error)
}

// Position tells how far a tailer has come.
type Position struct {
	Offset int64
	Lines  int
	Err    error
}

// Tailer passes the lines of a source to a function.
type Tailer struct {
	src  Source
	emit func(line []byte)
	quit chan struct{}
	done chan struct{}
	once sync.Once

	mu  sync.RWMutex
	pos Position
}

func NewTailer(src Source, from int64, every time.Duration, emit func([]byte)) *Tailer {
	t := &Tailer{
		src:  src,
		emit: emit,
		quit: make(chan struct{}),
		done: make(chan struct{}),
		pos:  Position{Offset: from},
	}
	go t.run(every)
	return t
}

// Position may be asked by anybody.
func (t *Tailer) Position() Position {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.pos
}

func (t *Tailer) setPosition(p Position) {
	t.mu.Lock()
	t.pos = p
	t.mu.Unlock()
}

func (t *Tailer) run(every time.Duration) {
	defer close(t.done)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			t.step()
		case <-t.quit:
			t.step()
			return
		}
	}
}

func (t *Tailer) step() {
	p := t.Position()
	data, err := t.src.ReadFrom(p.Offset)
	if err != nil {
		p.Err = err
		t.setPosition(p)
		return
	}
	p.Err = nil
	start := 0
	for i, b := range data {
		if b != '\n' {
			continue
		}
		t.emit(data[start:i])
		p.Lines++
		start = i + 1
	}
	p.Offset += int64(start)
	t.setPosition(p)
}

// Close reads what is left and ends the tailer.
func (t *Tailer) Close() Position {
	t.once.Do(func() { close(t.quit) })
	<-t.done
	return t.Position()
}
