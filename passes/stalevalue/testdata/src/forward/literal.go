package forward

import (
	"os"
	"sync"
	"sync/atomic"
)

// Files keeps open files. What a section finds that is a literal is left in a variable.
type Files struct {
	mu   sync.Mutex
	open map[string]*file
}

type file struct {
	f    *os.File
	refs atomic.Int64
}

func (e *file) release() {
	if e.refs.Add(-1) == 0 {
		e.f.Close()
	}
}

func (c *Files) find(path string) *file {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open[path]
}

// Acquire may get a file that Evict has closed.
func (c *Files) Acquire(path string) *file {
	e := c.find(path)
	if e == nil {
		return nil
	}
	e.refs.Add(1) // want `check-then-act: c\.open\[path\] was checked at line 34`
	return e
}

func (c *Files) Evict(path string) {
	var e *file
	func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		e = c.open[path]
		delete(c.open, path)
	}()
	if e != nil {
		e.release()
	}
}

// Link connects once it is used.
type Link struct {
	mu    sync.Mutex
	state string
	dial  func() bool
}

// Connect may start two goroutines.
func (l *Link) Connect() {
	l.mu.Lock()
	if l.state != "idle" {
		l.mu.Unlock()
		return
	}
	l.mu.Unlock()
	go func() { l.reconnect() }() // want `check-then-act: l\.state was checked at line \d+, .* start a second one`
}

func (l *Link) reconnect() {
	for {
		l.mu.Lock()
		if l.state == "closed" {
			l.mu.Unlock()
			return
		}
		l.state = "connecting"
		l.mu.Unlock()
		ok := l.dial()
		l.mu.Lock()
		if ok && l.state != "closed" {
			l.state = "ready"
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
	}
}

func (l *Link) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state = "closed"
}

// Feed closes its channel when its goroutine has told that it ends, in a literal that is deferred.
type Feed struct {
	stop chan struct{}
	out  chan int
	wg   sync.WaitGroup
}

func (f *Feed) Start() {
	f.wg.Add(1)
	go func() { f.loop() }()
}

func (f *Feed) loop() {
	defer func() {
		println("ended")
		f.wg.Done()
	}()
	for i := 0; ; i++ {
		select {
		case f.out <- i:
		case <-f.stop:
			return
		}
	}
}

func (f *Feed) Close() {
	close(f.stop)
	f.wg.Wait()
	close(f.out)
}

// CloseAtOnce waits for nobody.
func (f *Feed) CloseAtOnce() {
	close(f.stop)
	close(f.out) // want `check-then-act: Feed\.out is closed here, and nobody waits`
}
