package upload

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
)

var (
	ErrUnknown  = errors.New("upload: unknown upload")
	ErrPart     = errors.New("upload: part number out of range")
	ErrShutdown = errors.New("upload: shutting down")
)

// Blobs stores the raw parts. Writing a part again stores the same bytes.
type Blobs interface {
	Write(ctx context.Context, key string, r io.Reader) error
}

// Transcoder turns the parts of a video into renditions and bills for it.
type Transcoder interface {
	Transcode(ctx context.Context, uploadID string, keys []string) error
}

type upload struct {
	id    string
	total int

	mu    sync.RWMutex
	parts map[int]string
}

// addPart enters a stored part and reports whether it completed the upload.
func (u *upload) addPart(n int, key string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, dup := u.parts[n]; dup {
		return false // the client repeated a part
	}
	u.parts[n] = key
	return len(u.parts) == u.total
}

func (u *upload) keys() []string {
	u.mu.RLock()
	defer u.mu.RUnlock()
	out := make([]string, 0, u.total)
	for n := range u.total {
		out = append(out, u.parts[n])
	}
	return out
}

// Service receives videos in parts that clients send in parallel.
type Service struct {
	blobs   Blobs
	uploads sync.Map // id -> *upload
	jobs    chan *upload
	stop    context.Context
}

func NewService(ctx context.Context, b Blobs, t Transcoder, workers int) *Service {
	s := &Service{blobs: b, jobs: make(chan *upload, 64), stop: ctx}
	for range workers {
		go s.work(t)
	}
	return s
}

// Begin opens an upload with a fresh id.
func (s *Service) Begin(id string, parts int) {
	s.uploads.Store(id, &upload{id: id, total: parts, parts: make(map[int]string)})
}

// PutPart stores one part; with the last one the video goes to transcoding.
func (s *Service) PutPart(ctx context.Context, id string, n int, body io.Reader) error {
	v, ok := s.uploads.Load(id)
	if !ok {
		return ErrUnknown
	}
	u := v.(*upload)
	if n < 0 || n >= u.total {
		return ErrPart
	}
	key := fmt.Sprintf("%s/%05d", id, n)
	if err := s.blobs.Write(ctx, key, body); err != nil {
		return fmt.Errorf("upload %s part %d: %w", id, n, err)
	}
	if u.addPart(n, key) {
		return s.enqueue(u)
	}
	return nil
}

func (s *Service) enqueue(u *upload) error {
	select {
	case s.jobs <- u:
		return nil
	case <-s.stop.Done():
		return ErrShutdown
	}
}

func (s *Service) work(t Transcoder) {
	for {
		select {
		case <-s.stop.Done():
			return
		case u := <-s.jobs:
			if err := t.Transcode(s.stop, u.id, u.keys()); err != nil {
				continue // the transcoder reports to the owner itself
			}
			s.uploads.Delete(u.id)
		}
	}
}

// ServeHTTP handles PUT /uploads?id=..&part=..
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.URL.Query().Get("part"))
	if err != nil {
		http.Error(w, "bad part", http.StatusBadRequest)
		return
	}
	if err := s.PutPart(r.Context(), r.URL.Query().Get("id"), n, r.Body); err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
