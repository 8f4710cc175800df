package idiom1387

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

const headerSize = 8

type request struct {
	data []byte
	off  uint32
	err  error
	wg   sync.WaitGroup
}

// valueLog is written by one goroutine (doWrites) and read by many.
type valueLog struct {
	f       *os.File
	writeCh chan *request
	done    chan struct{}

	// writableOffset is stored only by doWrites; readers load it to see how
	// much of the file is valid.
	writableOffset atomic.Uint32
	entries        atomic.Uint64
}

// Open creates the log at path.
func Open(path string) (*valueLog, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(make([]byte, headerSize)); err != nil {
		f.Close()
		return nil, err
	}
	v := &valueLog{f: f, writeCh: make(chan *request, 100), done: make(chan struct{})}
	v.writableOffset.Store(headerSize)
	go v.doWrites()
	return v, nil
}

func (v *valueLog) doWrites() {
	defer close(v.done)
	for r := range v.writeCh {
		r.off, r.err = v.write(r.data)
		r.wg.Done()
	}
}

func (v *valueLog) write(data []byte) (uint32, error) {
	off := v.writableOffset.Load()
	if _, err := v.f.WriteAt(data, int64(off)); err != nil {
		return 0, err
	}
	v.writableOffset.Store(off + uint32(len(data)))
	v.entries.Store(v.entries.Load() + 1)
	return off, nil
}

// Append writes data and returns its offset.
func (v *valueLog) Append(data []byte) (uint32, error) {
	r := &request{data: data}
	r.wg.Add(1)
	v.writeCh <- r
	r.wg.Wait()
	return r.off, r.err
}

// Read returns n bytes at off; the log only grows.
func (v *valueLog) Read(off, n uint32) ([]byte, error) {
	end, maxOff := uint64(off)+uint64(n), uint64(v.writableOffset.Load())
	if end > maxOff {
		return nil, fmt.Errorf("offset %d beyond end %d", end, maxOff)
	}
	buf := make([]byte, n)
	_, err := v.f.ReadAt(buf, int64(off))
	return buf, err
}

// Close stops the writer; no Append may run any more.
func (v *valueLog) Close() error {
	close(v.writeCh)
	<-v.done
	return v.f.Close()
}
