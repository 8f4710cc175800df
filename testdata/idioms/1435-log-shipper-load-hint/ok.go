package a

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"sync"
	"sync/atomic"
)

var ErrBusy = errors.New("shipper: all lanes are full")

// lane is one connection to the log collector with its backlog.
type lane struct {
	depth atomic.Int64 // may lag behind the backlog, for choosing only

	mu      sync.Mutex
	ready   *sync.Cond
	backlog []string
	max     int
	stopped bool
}

func newLane(max int) *lane {
	l := &lane{max: max}
	l.ready = sync.NewCond(&l.mu)
	return l
}

func (l *lane) offer(line string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopped || len(l.backlog) >= l.max {
		return false
	}
	l.backlog = append(l.backlog, line)
	l.depth.Add(1)
	l.ready.Signal()
	return true
}

func (l *lane) take() (string, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.backlog) == 0 {
		if l.stopped {
			return "", false
		}
		l.ready.Wait()
	}
	line := l.backlog[0]
	l.backlog = l.backlog[1:]
	return line, true
}

func (l *lane) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopped = true
	l.ready.Broadcast()
}

func (l *lane) run(w io.Writer) {
	for {
		line, ok := l.take()
		if !ok {
			return
		}
		if _, err := io.WriteString(w, line+"\n"); err != nil {
			log.Printf("shipper: %v", err)
		}
		l.depth.Add(-1)
	}
}

// Shipper spreads log lines over several lanes.
type Shipper struct {
	lanes []*lane
	wg    sync.WaitGroup
}

// NewShipper starts one goroutine for each collector connection.
func NewShipper(outs []io.Writer, max int) *Shipper {
	s := &Shipper{}
	for _, w := range outs {
		l := newLane(max)
		s.lanes = append(s.lanes, l)
		s.wg.Add(1)
		go func() {
			defer s.wg.Done()
			l.run(w)
		}()
	}
	return s
}

func (s *Shipper) shortest() int {
	best := 0
	for i, l := range s.lanes {
		if l.depth.Load() < s.lanes[best].depth.Load() {
			best = i
		}
	}
	return best
}

// Ship queues a line, on the shortest lane if possible.
func (s *Shipper) Ship(line string) error {
	first := s.shortest()
	for i := range s.lanes {
		if s.lanes[(first+i)%len(s.lanes)].offer(line) {
			return nil
		}
	}
	return ErrBusy
}

// Close sends what is queued and ends the lanes.
func (s *Shipper) Close() {
	for _, l := range s.lanes {
		l.stop()
	}
	s.wg.Wait()
}

// Collect ships the lines of every local connection.
func (s *Shipper) Collect(ctx context.Context, l net.Listener) error {
	defer context.AfterFunc(ctx, func() { l.Close() })()
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer c.Close()
			sc := bufio.NewScanner(c)
			for sc.Scan() {
				if err := s.Ship(sc.Text()); err != nil {
					log.Print(err)
				}
			}
		}()
	}
}
