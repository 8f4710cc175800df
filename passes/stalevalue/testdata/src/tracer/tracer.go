// Package tracer logs, and keeps what it has logged.
package tracer

import "sync"

var last struct {
	sync.Mutex
	msg  string
	args []any
}

// Debug logs a message with arguments.
func Debug(msg string, args ...any) {
	last.Lock()
	defer last.Unlock()
	last.msg, last.args = msg, args
}

// Mark keeps a number.
func Mark(n int) {
	last.Lock()
	defer last.Unlock()
	last.args = []any{n}
}
