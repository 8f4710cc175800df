package a

import (
	"errors"
	"io"
	"log"
	"sort"
	"sync"
	"sync/atomic"
)

// TenantLog is the logger of one tenant.
type TenantLog struct {
	*log.Logger
	lines atomic.Int64
}

// Event writes one line.
func (t *TenantLog) Event(msg string) {
	t.lines.Add(1)
	t.Println(msg)
}

// Lines returns the number of lines written.
func (t *TenantLog) Lines() int64 { return t.lines.Load() }

// Logs hands out one logger for each tenant, for the life of the process.
type Logs struct {
	out io.Writer

	mu      sync.RWMutex
	tenants map[string]*TenantLog
}

// NewLogs returns loggers that write to out.
func NewLogs(out io.Writer) *Logs {
	return &Logs{out: out, tenants: make(map[string]*TenantLog)}
}

func (l *Logs) lookup(name string) (*TenantLog, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	t, ok := l.tenants[name]
	return t, ok
}

// For returns the logger of the tenant.
func (l *Logs) For(name string) (*TenantLog, error) {
	if name == "" {
		return nil, errors.New("logs: tenant without a name")
	}
	if t, ok := l.lookup(name); ok {
		return t, nil
	}
	fresh := &TenantLog{Logger: log.New(l.out, "["+name+"] ", log.LstdFlags)}
	return l.install(name, fresh), nil
}

// install keeps the logger that came first and returns it.
func (l *Logs) install(name string, fresh *TenantLog) *TenantLog {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t, ok := l.tenants[name]; ok {
		return t
	}
	l.tenants[name] = fresh
	return fresh
}

// Names lists the tenants that have logged so far.
func (l *Logs) Names() []string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	names := make([]string, 0, len(l.tenants))
	for n := range l.tenants {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}
