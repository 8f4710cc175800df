package a

import (
	"slices"
	"sync"
	"time"
)

// list is a slice for several goroutines.
type list[T comparable] struct {
	mu    sync.RWMutex
	items []T
}

func (l *list[T]) add(x T) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if slices.Contains(l.items, x) {
		return false
	}
	l.items = append(l.items, x)
	return true
}

func (l *list[T]) remove(x T) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.items, x)
	if i < 0 {
		return false
	}
	l.items = slices.Delete(l.items, i, i+1)
	return true
}

func (l *list[T]) len() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.items)
}

func (l *list[T]) at(i int) T {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.items[i]
}

func (l *list[T]) copy() []T {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return slices.Clone(l.items)
}

// Event is one entry of the log.
type Event struct {
	Time  time.Time
	Level int
	Text  string
}

// Appender writes events somewhere. Append fails once Close was called.
type Appender interface {
	Append(ev Event) error
	Close() error
}

// Logger hands events to its appenders and to those of its parents.
type Logger struct {
	parent    *Logger
	level     int
	appenders list[Appender]
}

// NewLogger returns a logger below parent, which may be nil.
func NewLogger(parent *Logger, level int) *Logger {
	return &Logger{parent: parent, level: level}
}

// Attach adds an appender unless it is there already.
func (l *Logger) Attach(a Appender) bool { return l.appenders.add(a) }

// Detach removes an appender and closes it.
func (l *Logger) Detach(a Appender) error {
	if !l.appenders.remove(a) {
		return nil
	}
	return a.Close()
}

// Log writes one event and reports how many appenders took it.
func (l *Logger) Log(level int, text string) int {
	ev := Event{Time: time.Now(), Level: level, Text: text}
	done := 0
	for g := l; g != nil && level >= g.level; g = g.parent {
		for _, a := range g.appenders.copy() {
			if a.Append(ev) == nil {
				done++
			}
		}
	}
	return done
}

// Flush sends an empty event to each appender of this logger alone.
func (l *Logger) Flush() {
	for _, a := range l.appenders.copy() {
		a.Append(Event{Time: time.Now()})
	}
}
