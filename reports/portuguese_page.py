"""The Portuguese of the page around the figures."""

from __future__ import annotations

PAGE = {
    "Does it sustain line rate?": "Sustenta a taxa de linha?",
    "linerate report, made {date} UTC": "relatório do linerate, feito em {date} UTC",
    "Machines are not pooled; each has its own part:": (
        "Máquinas não são misturadas; cada uma tem a sua parte:"
    ),
    "The answer": "A resposta",
    "Up to how many memory accesses a packet line rate is sustained": (
        "Até quantos acessos à memória por pacote a taxa de linha é sustentada"
    ),
    "Bold: more likely than not, by the model, within the access counts that were measured. "
    "Sustained: at least 99 % of line rate is forwarded.": (
        "Negrito: mais provável que não, segundo o modelo, dentro dos números de acessos medidos. "
        "Sustentar: encaminhar ao menos 99 % da taxa de linha."
    ),
    "The fitted model": "O modelo ajustado",
    "How far off it is on cells that it had not seen": (
        "Quanto ele erra em células que não tinha visto"
    ),
    "Noise floor: single runs against the median of their own cell. No model can be better; an "
    "error far below it would be a leak.": (
        "Piso de ruído: execuções isoladas comparadas à mediana de sua própria célula. Nenhum "
        "modelo pode ser melhor; um erro muito menor indicaria vazamento de dados."
    ),
    "What limits the measured cells": "O que limita as células medidas",
    "Figures": "Figuras",
    "Figures left out": "Figuras omitidas",
    "Method and provenance": "Método e proveniência",
    "Notes": "Observações",
    "How this was found": "Como se chegou a isto",
    "Frame sizes count the 4-byte FCS; on the wire each frame takes 20 bytes more. Line rate = "
    "link speed / (8 * (frame + 20)).": (
        "O tamanho do quadro inclui os 4 bytes do FCS; no fio cada quadro ocupa mais 20 bytes. "
        "Taxa de linha = velocidade do enlace / (8 * (quadro + 20))."
    ),
    "A cell is one combination of datapath, program, accesses, queues, frame size and load. Its "
    "rate is the median of its repetitions; campaigns of linerate load the program anew for "
    "each.": (
        "Uma célula é uma combinação de caminho, programa, acessos, filas, tamanho do quadro e "
        "carga. Sua vazão é a mediana das repetições; campanhas do linerate recarregam o programa "
        "para cada uma."
    ),
    "Capacity is the smallest of named limits: line rate, NIC, CPU time per packet. Constants are "
    "fitted to runs that were judged valid or suspect.": (
        "A capacidade é o menor entre limites nomeados: taxa de linha, placa de rede, tempo de CPU "
        "por pacote. As constantes são ajustadas a execuções julgadas válidas ou suspeitas."
    ),
    "Errors are of whole (datapath, program, queues, accesses) groups that were held out: runs of "
    "one program load share its luck, and a random split would leak it.": (
        "Os erros são de grupos inteiros (caminho, programa, filas, acessos) deixados de fora: as "
        "execuções de uma mesma carga do programa têm a mesma sorte, e uma divisão aleatória a "
        "vazaria."
    ),
    "Intervals are conformal, from errors on groups held out, and hold 90 % of cells inside what "
    "was measured; outside nothing is promised.": (
        "Os intervalos são conformes, obtidos de erros em grupos deixados de fora, e contêm 90 % "
        "das células dentro do que foi medido; fora disso nada se promete."
    ),
    "Commands to repeat it": "Comandos para repetir",
}
FACTS = {
    "box": "máquina",
    "machine": "equipamento",
    "NIC": "placa de rede",
    "kernel": "kernel",
    "frequency governor": "regulador de frequência",
    "hypervisor": "hipervisor",
    "mitigations": "mitigações",
    "campaigns": "campanhas",
    "lab and mode": "laboratório e modo",
    "counted by": "contado por",
    "revision that measured": "revisão que mediu",
    "program hashes": "hashes dos programas",
    "runs": "execuções",
    "none": "nenhuma",
    "not recorded": "não registrado",
    "no box.json of this box beside the table": "sem box.json desta máquina junto à tabela",
    "{cores} cores, {threads} threads each": "{cores} núcleos, {threads} threads em cada",
    "{n}, not judged": "{n}, não julgadas",
    "{n}: {valid} valid, {suspect} suspect, {invalid} invalid": (
        "{n}: {valid} válidas, {suspect} suspeitas, {invalid} inválidas"
    ),
}
