package local

import (
	"bufio"
	"encoding/binary"
	"io"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

const (
	chunkSize      = 128
	chunkHeaderLen = 16
)

type Fingerprint uint64

// A chunk is complete and not modified any more when it is persisted.
type chunk struct {
	firstTime, lastTime int64
	data                [chunkSize]byte
	n                   int
}

type persistRequest struct {
	fingerprint Fingerprint
	chunk       *chunk
}

// fingerprintLocker allows locking individual fingerprints. To limit the number
// of mutexes needed for that, only a fixed number of mutexes are
// allocated.
type fingerprintLocker struct {
	fpMtxs    []sync.Mutex
	numFpMtxs uint
}

func newFingerprintLocker(preallocatedMutexes int) *fingerprintLocker {
	return &fingerprintLocker{make([]sync.Mutex, preallocatedMutexes), uint(preallocatedMutexes)}
}

// Lock locks the given fingerprint.
func (l *fingerprintLocker) Lock(fp Fingerprint) {
	l.fpMtxs[uint(fp)%l.numFpMtxs].Lock()
}

// Unlock unlocks the given fingerprint.
func (l *fingerprintLocker) Unlock(fp Fingerprint) {
	l.fpMtxs[uint(fp)%l.numFpMtxs].Unlock()
}

// persistence keeps one file for each series, with the chunks in the order of
// their times.
type persistence struct {
	basePath string
}

func (p *persistence) fileNameForFingerprint(fp Fingerprint) string {
	return filepath.Join(p.basePath, strconv.FormatUint(uint64(fp), 16)+".db")
}

// persistChunk persists a single chunk of a series. It is the caller's
// responsibility to not modify chunk concurrently and to not persist or drop anything
// for the same fingerprint concurrently.
func (p *persistence) persistChunk(fp Fingerprint, c *chunk) error {
	f, err := os.OpenFile(p.fileNameForFingerprint(fp), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0640)
	if err != nil {
		return err
	}
	defer f.Close()

	b := bufio.NewWriterSize(f, chunkHeaderLen+chunkSize)
	var header [chunkHeaderLen]byte
	binary.LittleEndian.PutUint64(header[:], uint64(c.firstTime))
	binary.LittleEndian.PutUint64(header[8:], uint64(c.lastTime))
	b.Write(header[:])
	b.Write(c.data[:])
	return b.Flush()
}

// dropChunks deletes all chunks from a series whose last sample time is before
// beforeTime. It is the caller's responsibility to make sure nothing is
// persisted or loaded for the same fingerprint concurrently.
func (p *persistence) dropChunks(fp Fingerprint, beforeTime int64) (bool, error) {
	f, err := os.Open(p.fileNameForFingerprint(fp))
	if os.IsNotExist(err) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()

	// Find the first chunk that should be kept.
	var header [chunkHeaderLen]byte
	for i := int64(0); ; i++ {
		off := i * (chunkHeaderLen + chunkSize)
		if _, err := f.ReadAt(header[:], off); err == io.EOF {
			// We ran into the end of the file without finding any chunks that should
			// be kept. Remove the whole file.
			return true, os.Remove(f.Name())
		} else if err != nil {
			return false, err
		}
		if int64(binary.LittleEndian.Uint64(header[8:])) < beforeTime {
			continue
		}
		if i == 0 {
			return false, nil
		}
		if _, err := f.Seek(off, io.SeekStart); err != nil {
			return false, err
		}
		break
	}

	// Copy everything from there into a new file.
	temp, err := os.Create(f.Name() + ".tmp")
	if err != nil {
		return false, err
	}
	defer temp.Close()
	if _, err := io.Copy(temp, f); err != nil {
		return false, err
	}
	return false, os.Rename(temp.Name(), f.Name())
}

// memorySeries has the chunk that samples are added to.
type memorySeries struct {
	head *chunk
}

// add adds a sample and returns the head chunk if it is full.
func (s *memorySeries) add(t int64, v byte) *chunk {
	var full *chunk
	if s.head != nil && s.head.n == chunkSize {
		full, s.head = s.head, nil
	}
	if s.head == nil {
		s.head = &chunk{firstTime: t}
	}
	s.head.data[s.head.n] = v
	s.head.n++
	s.head.lastTime = t
	return full
}

type seriesMap struct {
	mtx sync.RWMutex
	m   map[Fingerprint]*memorySeries
}

func (sm *seriesMap) getOrCreate(fp Fingerprint) *memorySeries {
	sm.mtx.Lock()
	defer sm.mtx.Unlock()
	s, ok := sm.m[fp]
	if !ok {
		s = &memorySeries{}
		sm.m[fp] = s
	}
	return s
}

func (sm *seriesMap) fps() []Fingerprint {
	sm.mtx.RLock()
	defer sm.mtx.RUnlock()
	fps := make([]Fingerprint, 0, len(sm.m))
	for fp := range sm.m {
		fps = append(fps, fp)
	}
	return fps
}

type memorySeriesStorage struct {
	fpLocker   *fingerprintLocker
	fpToSeries *seriesMap

	loopStopping, loopStopped chan struct{}
	purgeInterval, purgeAfter time.Duration

	persistQueue   chan persistRequest
	persistStopped chan struct{}
	persistence    *persistence
}

// NewMemorySeriesStorage returns a running storage.
func NewMemorySeriesStorage(path string, purgeInterval, purgeAfter time.Duration) *memorySeriesStorage {
	s := &memorySeriesStorage{
		fpLocker:       newFingerprintLocker(100),
		fpToSeries:     &seriesMap{m: make(map[Fingerprint]*memorySeries)},
		loopStopping:   make(chan struct{}),
		loopStopped:    make(chan struct{}),
		purgeInterval:  purgeInterval,
		purgeAfter:     purgeAfter,
		persistQueue:   make(chan persistRequest, 1024),
		persistStopped: make(chan struct{}),
		persistence:    &persistence{basePath: path},
	}
	go s.handlePersistQueue()
	go s.loop()
	return s
}

// Stop is called after the last sample was appended.
func (s *memorySeriesStorage) Stop() {
	close(s.loopStopping)
	<-s.loopStopped
	close(s.persistQueue)
	<-s.persistStopped
}

// AppendSample is called by the scrapers.
func (s *memorySeriesStorage) AppendSample(fp Fingerprint, t int64, v byte) {
	s.fpLocker.Lock(fp)
	full := s.fpToSeries.getOrCreate(fp).add(t, v)
	s.fpLocker.Unlock(fp)
	// Queue only outside of the locked area, processing the persistQueue
	// requires the same lock!
	if full != nil {
		s.persistQueue <- persistRequest{fp, full}
	}
}

func (s *memorySeriesStorage) handlePersistQueue() {
	for req := range s.persistQueue {
		s.fpLocker.Lock(req.fingerprint)
		err := s.persistence.persistChunk(req.fingerprint, req.chunk)
		s.fpLocker.Unlock(req.fingerprint)
		if err != nil {
			log.Printf("Error persisting chunk: %v", err)
		}
	}
	close(s.persistStopped)
}

func (s *memorySeriesStorage) loop() {
	defer close(s.loopStopped)
	purgeTicker := time.NewTicker(s.purgeInterval)
	defer purgeTicker.Stop()
	for {
		select {
		case <-s.loopStopping:
			return
		case <-purgeTicker.C:
			before := time.Now().Add(-s.purgeAfter).UnixMilli()
			for _, fp := range s.fpToSeries.fps() {
				s.purgeSeries(fp, before)
			}
		}
	}
}

// purgeSeries purges persisted chunks older than beforeTime.
func (s *memorySeriesStorage) purgeSeries(fp Fingerprint, beforeTime int64) {
	s.fpLocker.Lock(fp)
	defer s.fpLocker.Unlock(fp)

	if _, err := s.persistence.dropChunks(fp, beforeTime); err != nil {
		log.Printf("Error purging persisted chunks: %v", err)
	}
}
