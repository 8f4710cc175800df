package verdicts

import (
	"os"
	"strconv"
	"sync"
)

// A Log has a file that is replaced by another one when it is full. That a file operation fails is no look at
// what it is given.
type Log struct {
	mu    sync.Mutex
	file  *os.File
	size  int64
	limit int64
	begin int64
}

func (l *Log) full() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.size > l.limit
}

func name(at int64) string { return strconv.FormatInt(at, 16) }

func (l *Log) roll() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.file.Truncate(l.size); err != nil {
		return err
	}
	next, err := os.Create(name(l.begin + l.size))
	if err != nil {
		return err
	}
	l.file.Close()
	l.file, l.begin, l.size = next, l.begin+l.size, 0
	return nil
}

func (l *Log) Append(b []byte) error {
	if l.full() {
		if err := l.roll(); err != nil { // want `l.size was checked at line 43, but l.mu was released when full returned and another goroutine may change it before this call of roll`
			return err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.size += int64(len(b))
	_, err := l.file.Write(b)
	return err
}

// rollIfFull asks again.
func (l *Log) rollIfFull() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size <= l.limit {
		return nil
	}
	next, err := os.Create(name(l.begin + l.size))
	if err != nil {
		return err
	}
	l.file, l.begin, l.size = next, l.begin+l.size, 0
	return nil
}

func (l *Log) AppendAgain(b []byte) error {
	if l.full() {
		if err := l.rollIfFull(); err != nil {
			return err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.size += int64(len(b))
	return nil
}
