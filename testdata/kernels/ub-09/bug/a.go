package a

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// errConflict means that the page was edited by somebody else.
var errConflict = errors.New("recipes: page was changed")

// Page is one version of a recipe.
type Page struct {
	Body    string
	Version int
}

// Tag returns the entity tag of the version.
func (p Page) Tag() string { return `"v` + strconv.Itoa(p.Version) + `"` }

// Store keeps the newest version of each recipe.
type Store struct {
	mu    sync.RWMutex
	pages map[string]Page
}

// NewStore returns an empty store.
func NewStore() *Store { return &Store{pages: make(map[string]Page)} }

// Get returns the page called name; the zero page if there is none.
func (s *Store) Get(name string) Page {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.pages[name]
}

// Put writes a new version of the page that the editor saw with this tag.
func (s *Store) Put(name, tag, body string) (Page, error) {
	if cur := s.Get(name); cur.Tag() != tag {
		return cur, errConflict
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	next := Page{Body: body, Version: s.pages[name].Version + 1}
	s.pages[name] = next
	return next, nil
}

// Handler serves the pages under /recipes/.
type Handler struct {
	store *Store
	limit int64
}

// NewHandler returns a handler for pages of at most limit bytes.
func NewHandler(s *Store, limit int64) *Handler {
	return &Handler{store: s, limit: limit}
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/recipes/")
	switch r.Method {
	case http.MethodGet:
		p := h.store.Get(name)
		w.Header().Set("ETag", p.Tag())
		_, _ = io.WriteString(w, p.Body)
	case http.MethodPut:
		h.put(w, r, name)
	default:
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	}
}

func (h *Handler) put(w http.ResponseWriter, r *http.Request, name string) {
	tag := r.Header.Get("If-Match")
	if tag == "" {
		http.Error(w, "If-Match is required", http.StatusPreconditionRequired)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.limit))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p, err := h.store.Put(name, tag, string(body))
	w.Header().Set("ETag", p.Tag())
	if errors.Is(err, errConflict) {
		http.Error(w, err.Error(), http.StatusPreconditionFailed)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
