package a

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

var errUsage = errors.New("shelter: bad command")

type handler func(s *Shelter, args []string) (string, error)

var commands = map[string]handler{
	"arrive":  (*Shelter).arrive,
	"reserve": (*Shelter).reserve,
	"adopt":   (*Shelter).adopt,
	"list":    (*Shelter).list,
}

type animal struct {
	name   string
	family string
}

// Shelter serves the terminals of an animal shelter.
type Shelter struct {
	mu      sync.Mutex
	animals map[string]*animal
	adopted int
}

func NewShelter() *Shelter { return &Shelter{animals: make(map[string]*animal)} }

// Do runs one line that was typed at a terminal.
func (s *Shelter) Do(line string) (string, error) {
	f := strings.Fields(line)
	if len(f) == 0 {
		return "", errUsage
	}
	h, ok := commands[f[0]]
	if !ok {
		return "", fmt.Errorf("%w: %s", errUsage, f[0])
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return h(s, f[1:])
}

func (s *Shelter) find(args []string, n int) (*animal, error) {
	if len(args) != n {
		return nil, errUsage
	}
	a, ok := s.animals[args[0]]
	if !ok {
		return nil, fmt.Errorf("shelter: no animal %s", args[0])
	}
	return a, nil
}

func (s *Shelter) arrive(args []string) (string, error) {
	if _, err := s.find(args, 1); err == nil || errors.Is(err, errUsage) {
		return "", errUsage
	}
	s.animals[args[0]] = &animal{name: args[0]}
	return "welcome " + args[0], nil
}

func (s *Shelter) reserve(args []string) (string, error) {
	a, err := s.find(args, 2)
	if err != nil {
		return "", err
	}
	if a.family != "" {
		return "", fmt.Errorf("shelter: %s is taken", a.name)
	}
	a.family = args[1]
	return "reserved", nil
}

func (s *Shelter) adopt(args []string) (string, error) {
	a, err := s.find(args, 2)
	if err != nil {
		return "", err
	}
	if a.family != args[1] {
		return "", fmt.Errorf("shelter: %s is not reserved for %s", a.name, args[1])
	}
	delete(s.animals, a.name)
	s.adopted++
	return "goodbye " + a.name, nil
}

func (s *Shelter) list([]string) (string, error) {
	var out []string
	for n := range s.animals {
		out = append(out, n)
	}
	slices.Sort(out)
	return strings.Join(out, " "), nil
}
