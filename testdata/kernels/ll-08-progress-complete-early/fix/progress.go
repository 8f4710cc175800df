package local

import (
	"context"
	"errors"
	"log"
	"sort"
	"sync"
	"time"
)

var ErrNotFound = errors.New("not found")

type Descriptor struct {
	MediaType string
	Digest    string
	Size      int64
}

func makeRefKey(desc Descriptor) string { return "layer-" + desc.Digest }

type Status struct {
	Ref    string
	Offset int64
	Total  int64
}

// Store is the content store.
type Store struct {
	mu      sync.Mutex
	blobs   map[string][]byte
	ingests map[string]*Status
}

func NewStore() *Store {
	return &Store{blobs: make(map[string][]byte), ingests: make(map[string]*Status)}
}

func (s *Store) ListStatuses(ctx context.Context) ([]Status, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var active []Status
	for _, st := range s.ingests {
		active = append(active, *st)
	}
	return active, ctx.Err()
}

func (s *Store) Info(ctx context.Context, dgst string) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.blobs[dgst]
	if !ok {
		return 0, ErrNotFound
	}
	return int64(len(b)), nil
}

func (s *Store) Begin(ref string, total int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ingests[ref] = &Status{Ref: ref, Total: total}
}

func (s *Store) Advance(ref string, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.ingests[ref]; st != nil {
		st.Offset += n
	}
}

func (s *Store) Commit(ref, dgst string, b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.ingests, ref)
	s.blobs[dgst] = b
}

type Progress struct {
	Event    string
	Name     string
	Progress int64
	Total    int64
}

type ProgressFunc func(Progress)

type jobState uint8

const (
	jobAdded jobState = iota
	jobInProgress
	jobComplete
)

type jobStatus struct {
	state    jobState
	name     string
	progress int64
	desc     Descriptor
}

type jobUpdate struct {
	desc   Descriptor
	exists bool
}

type ProgressTracker struct {
	transferState string
	cs            *Store
	added         chan jobUpdate
	waitC         chan struct{}
}

// NewProgressTracker tracks content download progress
func NewProgressTracker(transferState string, cs *Store) *ProgressTracker {
	return &ProgressTracker{
		transferState: transferState,
		cs:            cs,
		added:         make(chan jobUpdate, 1),
		waitC:         make(chan struct{}),
	}
}

func (j *ProgressTracker) HandleProgress(ctx context.Context, pf ProgressFunc) {
	defer close(j.waitC)
	jobs := map[string]*jobStatus{}
	tc := time.NewTicker(time.Millisecond * 300)
	defer tc.Stop()

	for {
		select {
		case update := <-j.added:
			job, ok := jobs[update.desc.Digest]
			if !ok {
				job = &jobStatus{
					state: jobAdded,
					name:  makeRefKey(update.desc),
					desc:  update.desc,
				}
				jobs[update.desc.Digest] = job
				pf(Progress{Event: "waiting", Name: job.name, Total: update.desc.Size})
			}
			if update.exists {
				pf(Progress{
					Event:    "already exists",
					Name:     job.name,
					Progress: update.desc.Size,
					Total:    update.desc.Size,
				})
				job.state = jobComplete
				job.progress = job.desc.Size
			}
		case <-tc.C:
			j.update(ctx, jobs, pf)
			// Next timer?
		case <-ctx.Done():
			j.update(context.Background(), jobs, pf)
			return
		}
	}
}

func (j *ProgressTracker) update(ctx context.Context, jobs map[string]*jobStatus, pf ProgressFunc) {
	active, err := j.active(ctx)
	if err != nil {
		log.Printf("failed to get statuses for progress: %s", err)
		return
	}
	for _, job := range jobs {
		if job.state == jobComplete {
			continue
		}
		if status, ok := lookup(active, job.name); ok {
			if status.Offset > job.progress {
				pf(Progress{Event: j.transferState, Name: job.name, Progress: status.Offset, Total: status.Total})
				job.progress = status.Offset
				job.state = jobInProgress
			}
		} else {
			ok, err := j.check(ctx, job.desc.Digest)
			if err != nil {
				log.Printf("failed to get statuses for progress: %s", err)
			} else if ok {
				pf(Progress{Event: "complete", Name: job.name, Progress: job.desc.Size, Total: job.desc.Size})
				job.state = jobComplete
			}
		}
	}
}

func (j *ProgressTracker) active(ctx context.Context) ([]Status, error) {
	active, err := j.cs.ListStatuses(ctx)
	sort.Slice(active, func(i, j int) bool { return active[i].Ref < active[j].Ref })
	return active, err
}

func lookup(active []Status, ref string) (Status, bool) {
	idx := sort.Search(len(active), func(i int) bool { return active[i].Ref >= ref })
	if idx < len(active) && active[idx].Ref == ref {
		return active[idx], true
	}
	return Status{}, false
}

func (j *ProgressTracker) check(ctx context.Context, dgst string) (bool, error) {
	_, err := j.cs.Info(ctx, dgst)
	if err == nil {
		return true, nil
	}
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	return false, err
}

// Add adds a descriptor to be tracked
func (j *ProgressTracker) Add(desc Descriptor) {
	select {
	case j.added <- jobUpdate{desc: desc}:
	case <-j.waitC:
	}
}

func (j *ProgressTracker) MarkExists(desc Descriptor) {
	select {
	case j.added <- jobUpdate{desc: desc, exists: true}:
	case <-j.waitC:
	}
}

// Pull downloads the layers, some of them at the same time.
func Pull(ctx context.Context, cs *Store, layers []Descriptor, fetch func(Descriptor, func(n int64)) []byte, pf ProgressFunc) {
	ctx, cancel := context.WithCancel(ctx)
	j := NewProgressTracker("downloading", cs)
	go j.HandleProgress(ctx, pf)

	sem := make(chan struct{}, 3)
	var wg sync.WaitGroup
	for _, desc := range layers {
		if _, err := cs.Info(ctx, desc.Digest); err == nil {
			j.MarkExists(desc)
			continue
		}
		j.Add(desc)
		wg.Add(1)
		go func(desc Descriptor) {
			defer wg.Done()
			sem <- struct{}{}
			defer func() { <-sem }()
			ref := makeRefKey(desc)
			cs.Begin(ref, desc.Size)
			b := fetch(desc, func(n int64) { cs.Advance(ref, n) })
			cs.Commit(ref, desc.Digest, b)
		}(desc)
	}
	wg.Wait()
	cancel()
	<-j.waitC
}
