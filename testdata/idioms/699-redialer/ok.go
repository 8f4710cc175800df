// Package logging sends the logs over the network.
package logging

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// NetWriter implements a log writer that outputs to a network socket. If
// the socket goes down, it will dump logs to stderr while it attempts to
// reconnect.
type NetWriter struct {
	// The address of the network socket to which to connect.
	Address string
	Network string

	// The timeout to wait while connecting to the socket.
	DialTimeout time.Duration

	// If enabled, allow connections errors when first opening the
	// writer. The error and subsequent log entries will be reported
	// to stderr instead until a connection can be re-established.
	SoftStart bool
}

// OpenWriter opens a new network connection.
func (nw NetWriter) OpenWriter() (io.WriteCloser, error) {
	if nw.Address == "" {
		return nil, errors.New("address is required")
	}
	reconn := &redialerConn{nw: nw, timeout: nw.DialTimeout}
	conn, err := reconn.dial()
	if err != nil {
		if !nw.SoftStart {
			return nil, err
		}
		// don't block config load if remote is down or some other external problem;
		// we can dump logs to stderr for now
		os.Stderr.WriteString("[ERROR] net log writer failed to connect: " + err.Error() + "\n")
	}
	reconn.connMu.Lock()
	reconn.conn = conn
	reconn.connMu.Unlock()
	return reconn, nil
}

// redialerConn wraps an underlying Conn so that if any
// writes fail, the connection is redialed and the write
// is retried.
type redialerConn struct {
	connMu     sync.RWMutex
	conn       net.Conn
	closed     bool
	nw         NetWriter
	timeout    time.Duration
	lastRedial time.Time
}

// Write wraps the underlying Conn.Write method, but if that fails,
// it will re-dial the connection anew and try writing again.
func (reconn *redialerConn) Write(b []byte) (n int, err error) {
	reconn.connMu.RLock()
	conn := reconn.conn
	reconn.connMu.RUnlock()
	if conn != nil {
		if n, err = conn.Write(b); err == nil {
			return n, nil
		}
	}

	// problem with the connection - lock it and try to fix it
	reconn.connMu.Lock()
	defer reconn.connMu.Unlock()
	if reconn.closed {
		return 0, net.ErrClosed
	}

	// try writing again
	if reconn.conn != nil {
		if n, err = reconn.conn.Write(b); err == nil {
			return n, nil
		}
	}

	// there's still a problem, so try to re-attempt dialing the socket
	// if some time has passed in which the issue could have potentially
	// been resolved - we don't want to block at every single log
	// emission (!)
	if time.Since(reconn.lastRedial) <= 10*time.Second {
		// last redial attempt was too recent; just dump to stderr for now
		return os.Stderr.Write(b)
	}
	reconn.lastRedial = time.Now()
	conn2, err2 := reconn.dial()
	if err2 != nil {
		// logger socket still offline; instead of discarding the log, dump it to stderr
		return os.Stderr.Write(b)
	}
	if n, err = conn2.Write(b); err != nil {
		conn2.Close()
		return n, err
	}
	if reconn.conn != nil {
		reconn.conn.Close()
	}
	reconn.conn = conn2
	return n, nil
}

// Close closes the connection for good.
func (reconn *redialerConn) Close() error {
	reconn.connMu.Lock()
	defer reconn.connMu.Unlock()
	if reconn.closed {
		return net.ErrClosed
	}
	reconn.closed = true
	if reconn.conn == nil {
		return nil
	}
	return reconn.conn.Close()
}

func (reconn *redialerConn) dial() (net.Conn, error) {
	return net.DialTimeout(reconn.nw.Network, reconn.nw.Address, reconn.timeout)
}

// Entry is one line of the log.
type Entry struct {
	Time   time.Time      `json:"ts"`
	Level  string         `json:"level"`
	Msg    string         `json:"msg"`
	Fields map[string]any `json:"fields,omitempty"`
}

// Logger encodes entries; it is used by all goroutines.
type Logger struct {
	w io.WriteCloser
}

func NewLogger(nw NetWriter) (*Logger, error) {
	w, err := nw.OpenWriter()
	if err != nil {
		return nil, err
	}
	return &Logger{w: w}, nil
}

func (l *Logger) log(level, msg string, fields map[string]any) {
	b, err := json.Marshal(Entry{time.Now().UTC(), level, msg, fields})
	if err != nil {
		return
	}
	l.w.Write(append(b, '\n'))
}

func (l *Logger) Info(msg string, fields map[string]any)  { l.log("info", msg, fields) }
func (l *Logger) Error(msg string, fields map[string]any) { l.log("error", msg, fields) }

// Close flushes nothing, the entries are written at once.
func (l *Logger) Close() error { return l.w.Close() }
