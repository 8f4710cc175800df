// Package ship sends audit records from agents to a collector over any number
// of connections.
package ship

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"
)

// Record is a line of the audit log.
type Record struct {
	Seq  uint64    `json:"seq"`
	At   time.Time `json:"at"`
	Text string    `json:"text"`
}

// Errors of the package.
var (
	ErrWindow = errors.New("ship: record outside the window")
	ErrNoLink = errors.New("ship: no connection")
)

// link is a connection to the collector.
type link struct {
	mu  sync.Mutex
	enc *json.Encoder
}

func (l *link) write(r Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.enc.Encode(r)
}

// Agent numbers records and spreads them over its links.
type Agent struct {
	links []*link

	mu   sync.Mutex
	next uint64
}

// NewAgent returns an agent that writes to some connections.
func NewAgent(conns ...io.Writer) (*Agent, error) {
	if len(conns) == 0 {
		return nil, ErrNoLink
	}
	a := &Agent{}
	for _, c := range conns {
		a.links = append(a.links, &link{enc: json.NewEncoder(c)})
	}
	return a, nil
}

func (a *Agent) number() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := a.next
	a.next++
	return n
}

// Log ships a line; a record that a link does not take goes to the next one.
func (a *Agent) Log(text string) error {
	r := Record{Seq: a.number(), At: time.Now(), Text: text}
	var errs []error
	for i := range a.links {
		l := a.links[(r.Seq+uint64(i))%uint64(len(a.links))]
		err := l.write(r)
		if err == nil {
			return nil
		}
		errs = append(errs, err)
	}
	return fmt.Errorf("ship: record %d: %w", r.Seq, errors.Join(errs...))
}

// Collector puts the records of an agent into order again.
type Collector struct {
	out    io.Writer
	window uint64
	log    *slog.Logger

	mu      sync.Mutex
	due     uint64
	waiting map[uint64]Record
}

// NewCollector returns a collector that writes to out.
func NewCollector(out io.Writer, window uint64, log *slog.Logger) *Collector {
	return &Collector{out: out, window: window, log: log, waiting: make(map[uint64]Record)}
}

func (c *Collector) accept(r Record) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case r.Seq < c.due:
		return nil
	case r.Seq >= c.due+c.window:
		return fmt.Errorf("%w: %d, due is %d", ErrWindow, r.Seq, c.due)
	}
	c.waiting[r.Seq] = r
	for {
		next, ok := c.waiting[c.due]
		if !ok {
			return nil
		}
		if _, err := fmt.Fprintf(c.out, "%s %s\n", next.At.Format(time.RFC3339Nano), next.Text); err != nil {
			return err
		}
		delete(c.waiting, c.due)
		c.due++
	}
}

// Collect reads the connections of an agent until they end.
func (c *Collector) Collect(ctx context.Context, conns ...io.ReadCloser) error {
	errs := make([]error, len(conns))
	var wg sync.WaitGroup
	for i, conn := range conns {
		stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
		wg.Go(func() {
			defer stop()
			dec := json.NewDecoder(conn)
			for {
				var r Record
				err := dec.Decode(&r)
				if err == nil {
					err = c.accept(r)
				}
				if err != nil {
					if !errors.Is(err, io.EOF) {
						errs[i] = err
						c.log.Error("connection", "n", i, "err", err)
					}
					return
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
