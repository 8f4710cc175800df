package parts

import "context"

// Listing is a shelf as it was at a revision. To keep a copy of the shelf up
// to date, follow it from Rev+1.
type Listing struct {
	Rev   int64
	Parts []Part
}

// Service is what the terminals talk to. It is safe for concurrent use.
type Service struct {
	st *store
}

// NewService returns a service with an empty list.
func NewService() *Service { return &Service{st: newStore()} }

// Put sets the quantity of a part and returns the revision of the change.
func (s *Service) Put(key string, qty int) int64 { return s.st.put(key, qty) }

// Remove takes a part off the list and tells whether it was on it.
func (s *Service) Remove(key string) (int64, bool) { return s.st.remove(key) }

// List returns a shelf, that is the parts whose keys begin with its name.
func (s *Service) List(shelf string) Listing {
	parts, rev := s.st.scan(shelf)
	return Listing{Rev: rev, Parts: parts}
}

// Compact forgets the changes up to rev; terminals that have not seen them
// have to list again.
func (s *Service) Compact(rev int64) { s.st.compact(rev) }

// Follow calls apply with the changes of a shelf, in order, from revision
// from on, until ctx ends or apply fails.
func (s *Service) Follow(ctx context.Context, shelf string, from int64, apply func(Change) error) error {
	for {
		changes, next, more, err := s.st.since(shelf, from)
		if err != nil {
			return err
		}
		for _, c := range changes {
			if err := apply(c); err != nil {
				return err
			}
		}
		from = next
		select {
		case <-more:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
