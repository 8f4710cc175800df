// Package registry holds the published versions of packages and their
// dist-tags.
package registry

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// TagLatest is the tag that installers resolve when no version is asked for.
const TagLatest = "latest"

var (
	ErrExists   = errors.New("registry: version already published")
	ErrNotFound = errors.New("registry: not found")
)

// Version is a release version, major.minor.patch.
type Version [3]int

// ParseVersion parses "1.2.3".
func ParseVersion(s string) (Version, error) {
	var v Version
	parts := strings.Split(s, ".")
	if len(parts) != len(v) {
		return v, fmt.Errorf("registry: bad version %q", s)
	}
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil || n < 0 {
			return v, fmt.Errorf("registry: bad version %q", s)
		}
		v[i] = n
	}
	return v, nil
}

// Less orders versions.
func (v Version) Less(w Version) bool {
	for i := range v {
		if v[i] != w[i] {
			return v[i] < w[i]
		}
	}
	return false
}

func (v Version) String() string {
	return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2])
}

// Package is one package with all its versions.
type Package struct {
	Name string

	mu       sync.RWMutex
	versions map[Version]string // to the digest of the tarball
	tags     map[string]Version
}

// NewPackage returns a package without versions.
func NewPackage(name string) *Package {
	return &Package{
		Name:     name,
		versions: make(map[Version]string),
		tags:     make(map[string]Version),
	}
}

// Publish adds a version and moves the latest tag to it if it is the highest
// so far. A backport to an older line leaves the tag alone.
func (p *Package) Publish(v Version, digest string) error {
	if err := p.insert(v, digest); err != nil {
		return err
	}
	cur, ok := p.Tag(TagLatest)
	if !ok || cur.Less(v) {
		return p.SetTag(TagLatest, v)
	}
	return nil
}

func (p *Package) insert(v Version, digest string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.versions[v]; ok {
		return ErrExists
	}
	p.versions[v] = digest
	return nil
}

// Tag returns the version behind a tag.
func (p *Package) Tag(tag string) (Version, bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	v, ok := p.tags[tag]
	return v, ok
}

// SetTag points the tag to a published version.
func (p *Package) SetTag(tag string, v Version) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.versions[v]; !ok {
		return ErrNotFound
	}
	p.tags[tag] = v
	return nil
}

// Resolve returns the digest for a version or, failing that, for a tag.
func (p *Package) Resolve(spec string) (string, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	v, ok := p.tags[spec]
	if !ok {
		var err error
		if v, err = ParseVersion(spec); err != nil {
			return "", ErrNotFound
		}
	}
	digest, ok := p.versions[v]
	if !ok {
		return "", ErrNotFound
	}
	return digest, nil
}
